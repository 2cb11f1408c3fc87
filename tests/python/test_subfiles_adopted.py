"""Copies of a file in subfiles, moved to another folder with its subfiles, that become their owners at the
same time: one does."""

import shutil
import subprocess
import time

import shared_memory

from collio.run.own_python import module_command
from collio.subfiles import identity, subfile_set


def moved_with_a_copy(cli, folder):
    """Two placeholders of the same set; the manifest names neither."""
    before, after = folder / "before", folder / "after"
    before.mkdir()
    (before / "file").write_bytes(bytes(50_000))
    assert cli("split", before / "file", "--subfiles", 3, "--unit", 1000).exit_code == 0
    shutil.copytree(before, after)
    shutil.rmtree(before)
    shutil.copy(after / "file", after / "copy")
    return after / "file", after / "copy"


def own(path):
    """What adopt() does once it has its locks."""
    found = subfile_set.find(path)
    found.manifest.inode, found.manifest.born = path.stat().st_ino, identity.born_at(path)
    subfile_set.replace_text(found.manifest_path, found.manifest.text())


def while_the_other_adopts(path, words):
    """Starts a command that would adopt the set while another process does so for `path`."""
    with subfile_set.locked(subfile_set.find(path).subfile(0), subfile_set.SET_BYTE):
        process = subprocess.Popen(
            [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        time.sleep(3)
        own(path)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output


def test_an_open_to_write(cli, compiled, real_mpi, tmp_path):
    shared_memory.needed_by_openmpi(real_mpi)
    path, copy = moved_with_a_copy(cli, tmp_path)
    program = compiled(real_mpi, "synced")
    code, output = while_the_other_adopts(
        path, [*module_command("collio", "run"), "--", real_mpi.mpiexec, "-n", 1, program, copy, tmp_path]
    )
    assert code != 0, output
    assert identity.ownership(subfile_set.find(path)).standing is identity.Standing.own
    assert identity.ownership(subfile_set.find(copy)).original == path


def test_a_repair(cli, tmp_path):
    path, copy = moved_with_a_copy(cli, tmp_path)
    code, output = while_the_other_adopts(path, module_command("collio", "fsck", "--repair", copy))
    assert (
        code == 1 and f"{path}, a copy of {copy}, was made the owner of its subfiles meanwhile" in output
    ), output
    assert identity.ownership(subfile_set.find(path)).standing is identity.Standing.own
