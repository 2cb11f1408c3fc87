"""libcollio_timers.so passes on what it times: to the right one of several libraries with the same functions,
as extensions of an interpreter bring them, each its own."""

import os
import subprocess

import pytest

from collio.builds import find_library

LIBRARY = "int H5Fflush(long object, int scope) { return NUMBER + (int)object + scope; }\n"
EXTENSION = """int H5Fflush(long object, int scope);
int flush(int object) { return H5Fflush(object, 1); }
"""
CALL, JUMP = "-fno-optimize-sibling-calls", "-foptimize-sibling-calls"
"""The last call of a function is a jump, which leaves no address of the caller's."""
PROGRAM = """#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  for (int round = 0; round < 2; ++round)
    for (int i = 1; i < argc; ++i) {
      int (*flush)(int) = NULL;
      void* extension = dlopen(argv[i], RTLD_NOW | (getenv("GLOBAL") ? RTLD_GLOBAL : RTLD_LOCAL));
      if (!extension) return fprintf(stderr, "%s\\n", dlerror());
      *(void**)&flush = dlsym(extension, "flush");
      printf("%d ", flush(round));
      if (getenv("CLOSE")) dlclose(extension);
    }
  return 0;
}
"""


def compiled(folder, name, text, *options):
    source = folder / f"{name}.c"
    source.write_text(text)
    subprocess.run(["cc", "-o", folder / name, source, *options], check=True)
    return folder / name


def extension(folder, number, kind=CALL, *options):
    shared = ("-O2", "-shared", "-fPIC")
    library = compiled(folder, f"libhdf5_{number}.so", LIBRARY, *shared, f"-DNUMBER={number}", *options)
    return compiled(
        folder, f"extension_{number}.so", EXTENSION, *shared, kind, library, f"-Wl,-rpath,{folder}"
    )


@pytest.fixture
def preload():
    libraries = [find_library(name) for name in ("libcollio_mpiio.so", "libcollio_timers.so")]
    if None in libraries:
        pytest.skip("nothing is built")
    return ":".join(map(str, libraries))


@pytest.fixture
def same_with_timers(tmp_path, preload):
    """What the program prints with these extensions, with the timers and without."""

    def run(extensions, **variables):
        words = [compiled(tmp_path, "program", PROGRAM, "-ldl"), *extensions]
        timed = {"LD_PRELOAD": preload, "COLLIO_REPORT": str(tmp_path / "lines"), "COLLIO_EXITS": "1"}
        plain, done = (
            subprocess.run(words, env={**os.environ, **variables, **more}, capture_output=True, text=True)
            for more in ({}, timed)
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)
        return plain.stdout

    return run


def test_each_extension_finds_its_own_library(tmp_path, same_with_timers):
    extensions = [extension(tmp_path, number) for number in (100, 200)]
    assert same_with_timers(extensions) == "101 201 102 202 "


def test_a_caller_that_jumps_to_the_function(tmp_path, same_with_timers):
    assert same_with_timers([extension(tmp_path, 100, JUMP)]) == "101 102 "


@pytest.mark.parametrize("seen", [{}, {"GLOBAL": "1"}], ids=["private", "seen by all"])
def test_libraries_whose_symbols_have_versions(tmp_path, same_with_timers, seen):
    """As Debian's two of HDF5, which a process may have both."""
    extensions = []
    for number in (100, 200):
        versions = tmp_path / f"{number}.map"
        versions.write_text(f"V_{number} {{ H5Fflush; }};\n")
        extensions.append(extension(tmp_path, number, CALL, f"-Wl,--version-script={versions}"))
    assert same_with_timers(extensions, **seen) == "101 201 102 202 "


@pytest.mark.parametrize("seen", [{}, {"GLOBAL": "1"}], ids=["private", "seen by all"])
def test_libraries_that_are_closed(tmp_path, same_with_timers, seen):
    extensions = [extension(tmp_path, number) for number in (100, 200)]
    assert same_with_timers(extensions, CLOSE="1", **seen) == "101 201 102 202 "


def test_a_library_that_all_see(tmp_path, preload):
    """Linked with the program."""
    text = (
        EXTENSION.replace("KIND", "H5Fflush")
        + '#include <stdio.h>\nint main(void) { printf("%d", flush(4)); return 0; }\n'
    )
    extension(tmp_path, 100)
    library = tmp_path / "libhdf5_100.so"
    program = compiled(tmp_path, "linked", text, library, f"-Wl,-rpath,{tmp_path}")
    done = subprocess.run([program], env=dict(os.environ, LD_PRELOAD=preload), capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("105", "")
