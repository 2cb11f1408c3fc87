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
PROGRAM = """#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  for (int round = 0; round < 2; ++round)
    for (int i = 1; i < argc; ++i) {
      int (*flush)(int) = NULL;
      void* extension = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
      if (!extension) return fprintf(stderr, "%s\\n", dlerror());
      *(void**)&flush = dlsym(extension, "flush");
      printf("%d ", flush(round));
    }
  return 0;
}
"""


def compiled(folder, name, text, *options):
    source = folder / f"{name}.c"
    source.write_text(text)
    subprocess.run(["cc", "-o", folder / name, source, *options], check=True)
    return folder / name


def extension(folder, number):
    library = compiled(folder, f"libhdf5_{number}.so", LIBRARY, "-shared", "-fPIC", f"-DNUMBER={number}")
    return compiled(
        folder, f"extension_{number}.so", EXTENSION, "-shared", "-fPIC", library, f"-Wl,-rpath,{folder}"
    )


@pytest.fixture
def preload():
    libraries = [find_library(name) for name in ("libcollio_mpiio.so", "libcollio_timers.so")]
    if None in libraries:
        pytest.skip("nothing is built")
    return ":".join(map(str, libraries))


def test_each_extension_finds_its_own_library(tmp_path, preload):
    extensions = [extension(tmp_path, number) for number in (100, 200)]
    words = [compiled(tmp_path, "program", PROGRAM, "-ldl"), *extensions]
    environment = dict(
        os.environ, LD_PRELOAD=preload, COLLIO_REPORT=str(tmp_path / "lines"), COLLIO_EXITS="1"
    )
    for env in (None, environment):
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
        assert done.stdout == "101 201 102 202 ", done.stderr


def test_a_library_that_all_see(tmp_path, preload):
    """Linked with the program."""
    text = EXTENSION + '#include <stdio.h>\nint main(void) { printf("%d", flush(4)); return 0; }\n'
    extension(tmp_path, 100)
    library = tmp_path / "libhdf5_100.so"
    program = compiled(tmp_path, "linked", text, library, f"-Wl,-rpath,{tmp_path}")
    done = subprocess.run([program], env=dict(os.environ, LD_PRELOAD=preload), capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("105", "")
