"""Finding MPI libraries, on made-up installations: wrappers are scripts, libraries are empty."""

import os
import shutil
import subprocess
import sys
import tracemalloc

import pytest

import source_tree
from collio import mpi_libraries
from collio.mpi_libraries import LauncherMpi, MpiLibrary, ProgramMpi

COMPILER = shutil.which("cc") or shutil.which("gcc")
OPENMPI_HEADER = (
    "#define OMPI_MAJOR_VERSION 5\n#define OMPI_MINOR_VERSION 0\n#define OMPI_RELEASE_VERSION 3\n"
)


@pytest.fixture(autouse=True)
def only_what_the_test_makes(monkeypatch, tmp_path):
    for variable in mpi_libraries.PREFIX_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(mpi_libraries, "USUAL_FOLDERS", ())
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "no-prefix"))
    monkeypatch.setenv("COLLIO_BUILD", str(tmp_path / "build"))
    tools = tmp_path / "tools"  # PATH without any real MPI
    tools.mkdir()
    for name in ("sh", "env", "ldd", "cat", "sed", "bash"):
        if shutil.which(name):
            (tools / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tools))


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def install(prefix, header, name="mpi", soname="libmpi.so.12"):
    """An MPI of one wrapper, one header and one library under `prefix`."""
    for folder in ("bin", "include", "lib"):
        (prefix / folder).mkdir(parents=True, exist_ok=True)
    (prefix / "include" / "mpi.h").write_text(header)
    library = prefix / "lib" / soname
    subprocess.run(
        [COMPILER, "-shared", "-nostdlib", "-x", "c", os.devnull, f"-Wl,-soname,{soname}", "-o", library],
        check=True,
        env={"PATH": os.defpath},
    )
    (prefix / "lib" / f"lib{name}.so").symlink_to(soname)
    script(prefix / "bin" / "mpicc", f'echo "gcc -I{prefix}/include -L{prefix}/lib -l{name}"\n')
    script(prefix / "bin" / "mpiexec", "echo HYDRA build details: Version: 4.1.2\n")
    return prefix


def test_kin_of_mpich_have_names_of_their_own(monkeypatch, tmp_path):
    intel = install(tmp_path / "a", '#define I_MPI_VERSION "2021.18.1"\n#define MPICH_VERSION "3.4a2"\n')
    monkeypatch.setenv("MPI_HOME", str(intel))
    (found,) = mpi_libraries.find_mpi_libraries()
    assert (found.id, found.family, found.version) == ("intel-mpi-2021.18.1", "mpich", "2021.18.1")


def test_finds_by_variable_and_path(monkeypatch, tmp_path):
    mpich = install(tmp_path / "a", '#define MPICH_VERSION "4.1.2"\n')
    openmpi = install(tmp_path / "b", OPENMPI_HEADER, soname="libmpi.so.40")
    monkeypatch.setenv("MPI_HOME", str(mpich))
    monkeypatch.setenv("PATH", f"{openmpi}/bin:{os.environ['PATH']}")
    first, second = mpi_libraries.find_mpi_libraries()
    assert (first.id, first.family, first.soname) == ("mpich-4.1.2", "mpich", "libmpi.so.12")
    assert first.mpiexec == str(mpich / "bin" / "mpiexec") and first.mpifort is None
    assert first.library == str(mpich / "lib" / "libmpi.so.12")
    assert (second.id, second.family, second.soname) == ("openmpi-5.0.3", "openmpi", "libmpi.so.40")


def test_a_folder_of_two_names_is_looked_at_once(monkeypatch, tmp_path):
    prefix = install(tmp_path / "a", '#define MPICH_VERSION "4.1.2"\n')
    wrapper = prefix / "bin" / "mpicc"
    wrapper.write_text(wrapper.read_text().replace("\n", f"\necho asked >> {tmp_path}/log\n", 1))
    (tmp_path / "b").symlink_to(prefix / "bin")
    monkeypatch.setenv("PATH", f"{prefix}/bin:{tmp_path}/b:{os.environ['PATH']}")
    (only,) = mpi_libraries.find_mpi_libraries()
    assert only.mpicc == str(wrapper) and (tmp_path / "log").read_text() == "asked\n"


def test_wrappers_with_suffix_keep_their_own_launcher(monkeypatch, tmp_path):
    prefix = install(tmp_path / "a", '#define MPICH_VERSION "4.0.2"\n', name="mpich", soname="libmpich.so.12")
    for name in ("mpicc", "mpiexec"):
        (prefix / "bin" / name).rename(prefix / "bin" / f"{name}.mpich")
    (prefix / "bin" / "mpicc").symlink_to("mpicc.mpich")
    monkeypatch.setenv("MPICH_HOME", str(prefix))
    (only,) = mpi_libraries.find_mpi_libraries()
    assert only.mpicc.endswith("mpicc.mpich") and only.mpiexec.endswith("mpiexec.mpich")


def test_same_release_twice_gets_two_names(monkeypatch, tmp_path):
    one, two = (install(tmp_path / name, '#define MPICH_VERSION "4.1.2"\n') for name in "ab")
    monkeypatch.setenv("PATH", f"{one}/bin:{two}/bin:{os.environ['PATH']}")
    first, second = mpi_libraries.find_mpi_libraries()
    assert first.id == "mpich-4.1.2" and second.id.startswith("mpich-4.1.2-")


def test_library_behind_a_linker_script(monkeypatch, tmp_path):
    prefix = install(tmp_path / "a", '#define MPICH_VERSION "5.0.0"\n')
    link = prefix / "lib" / "libmpi.so"
    link.unlink()
    link.write_text("INPUT(libmpi.so.12)\n")
    monkeypatch.setenv("MPI_HOME", str(prefix))
    (only,) = mpi_libraries.find_mpi_libraries()
    assert (only.soname, only.library) == ("libmpi.so.12", str(prefix / "lib" / "libmpi.so.12"))


def test_broken_wrapper_is_no_library(monkeypatch, tmp_path):
    script(tmp_path / "a" / "bin" / "mpicc", "exit 1\n")
    script(tmp_path / "b" / "bin" / "mpicc", "echo gcc -I/nowhere -lmpi\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/a/bin:{tmp_path}/b/bin:{os.environ['PATH']}")
    assert mpi_libraries.find_mpi_libraries() == []


@pytest.mark.parametrize(
    "said, name, family, version",
    [
        ("HYDRA build details:\n    Version:   4.0.2", "hydra", "mpich", "4.0.2"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.6", "hydra", "mpich", "2021.6"),
        ("mpiexec.openmpi (OpenRTE) 4.1.4", "openmpi", "openmpi", "4.1.4"),
        ("mpirun (Open MPI) 5.0.3", "openmpi", "openmpi", "5.0.3"),
        ("slurm 22.05.8", "slurm", None, "22.05.8"),
        ("something else", "unknown", None, None),
    ],
)
def test_launcher_says_what_it_is(tmp_path, said, name, family, version):
    launcher = tmp_path / "mpiexec"
    script(launcher, f"cat <<'END'\n{said}\nEND\n")
    assert mpi_libraries.mpi_of_launcher(str(launcher)) == LauncherMpi(str(launcher), name, family, version)


@pytest.mark.parametrize(
    "path, name, family",
    [
        ("flux", "flux", None),
        ("jsrun", "jsrun", None),
        ("aprun", "aprun", "mpich"),
        ("pals/1.2/bin/mpiexec", "pals", "mpich"),
    ],
)
def test_launcher_known_by_its_name(tmp_path, path, name, family):
    launcher = tmp_path / path
    script(launcher, "echo mpiexec version 1.2.12\n")
    assert mpi_libraries.mpi_of_launcher(str(launcher)) == LauncherMpi(str(launcher), name, family, None)


def test_missing_launcher():
    assert mpi_libraries.mpi_of_launcher("no-such-launcher") is None


def test_program_tells_its_library_even_through_another(tmp_path):
    prefix = install(tmp_path / "a", '#define MPICH_VERSION "4.1.2"\n')
    folder = prefix / "lib"
    path = f"-L{folder}", f"-Wl,-rpath,{folder}", "-Wl,--no-as-needed"
    build = [COMPILER, "-x", "c"]
    middle = folder / "libmiddle.so"
    subprocess.run(
        [*build, "-shared", os.devnull, "-x", "none", *path, "-lmpi", "-o", middle],
        check=True,
        env={"PATH": os.defpath},
    )
    program = tmp_path / "program"
    subprocess.run(
        [*build, "-", "-x", "none", *path, "-lmiddle", "-o", program],
        input=b"int main(void){return 0;}",
        check=True,
        env={"PATH": os.defpath},
    )
    found = mpi_libraries.mpi_of_program(str(program))
    assert found == ProgramMpi(str(program), "mpich", "libmpi.so.12", str(folder / "libmpi.so.12"))


def test_program_without_mpi(tmp_path):
    script(tmp_path / "script", "exit 0\n")
    for program in ("/bin/ls", str(tmp_path / "script"), "no-such-program"):
        assert mpi_libraries.mpi_of_program(program) is None


@pytest.mark.parametrize(
    "soname, family",
    [
        ("libmpich.so.12", "mpich"),
        ("libmpi.so.12", "mpich"),
        ("libmpi_cray.so.12", "mpich"),
        ("libmpi.so.40", "openmpi"),
        ("libmpi.so.20", "openmpi"),
        ("libmpi_mpifh.so.40", None),
        ("libmpichfort.so.12", None),
        ("libc.so.6", None),
        ("libmpi_gnu_123.so.12", "mpich"),
        ("libmpi_nvidia.so.12", "mpich"),
        ("libmpi_amd.so.12", "mpich"),
        ("libmpi_aocc.so.12", "mpich"),
        ("libmpifort.so.12", None),
        ("libmpicxx.so.12", None),
        ("libmpi_abi.so.1", None),
    ],
)
def test_family_of_soname(soname, family):
    assert mpi_libraries.family_of_soname(soname) == family


def library(name, family, soname, path):
    return MpiLibrary(
        name,
        family,
        name.split("-")[1],
        "/x/mpicc",
        None,
        None,
        f"{path}/mpiexec",
        f"{path}/{soname}",
        soname,
    )


def test_match_prefers_the_program_then_the_launcher():
    debian = library("mpich-4.0.2", "mpich", "libmpich.so.12", "/usr/lib")
    wheel = library("mpich-5.0.2", "mpich", "libmpi.so.12", "/venv/lib")
    other = library("openmpi-4.1.4", "openmpi", "libmpi.so.40", "/ompi/lib")
    everything = [debian, wheel, other]
    program = ProgramMpi("app", "mpich", "libmpi.so.12", "/elsewhere/libmpi.so.12")
    hydra = LauncherMpi("/usr/lib/mpiexec", "hydra", "mpich", "4.0.2")
    slurm = LauncherMpi("/usr/bin/srun", "slurm", None, "22.05")
    match = mpi_libraries.match_mpi_library
    assert match(everything, program, hydra) is wheel  # same ABI, though another file
    assert match([debian, other], program, hydra) is None  # never a library of another ABI
    assert match(everything, None, hydra) is debian
    assert match(everything, None, LauncherMpi("/x", "openmpi", "openmpi", "9")) is other
    assert match(everything, None, slurm) is None


def test_reads_shared_library_names_as_readelf_does():
    path = os.path.realpath(
        next(
            iter(
                line.split("=> ")[1].split()[0]
                for line in subprocess.run(
                    ["ldd", "/bin/ls"], stdout=subprocess.PIPE, text=True
                ).stdout.splitlines()
                if "libc.so" in line
            )
        )
    )
    soname, needed = mpi_libraries.elf_names(path)
    assert soname == "libc.so.6" and all(".so" in name for name in needed)
    assert mpi_libraries.elf_names(__file__) == (None, [])


def test_reads_few_pages_of_a_large_library(tmp_path):
    """Some MPI libraries have 100 MB, and `collio run` in a source tree looks at each."""
    large = install(tmp_path, OPENMPI_HEADER) / "lib" / "libmpi.so.12"
    os.truncate(large, 1 << 28)
    tracemalloc.start()
    assert mpi_libraries.elf_names(str(large))[0] == "libmpi.so.12"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_needs_only_the_standard_library():
    code = (
        f"import sys; sys.path.insert(0, {str(source_tree.ROOT / 'python')!r}); import collio.mpi_libraries"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
