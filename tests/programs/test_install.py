"""What `make install` leaves in a prefix works where the prefix is moved to: the command, jobs, and what
other tools read of it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from collio import __version__, mpi_libraries
from jobs import RANKS, Jobs, assert_caught, start
from libraries import family_of_library, family_of_mpi4py, system_python

ROOT = Path(__file__).resolve().parents[2]
REAL = [mpi for mpi in mpi_libraries.find_mpi_libraries() if mpi.mpiexec]


@pytest.fixture(scope="session")
def compiled_parts(tmp_path_factory):
    """Those of a package where tools/install or tools/wheel made them; else those of the trees of
    tools/build, which have no programs for a package."""
    package = mpi_libraries.build_folder() / "package"
    found = [
        folder
        for folder in (package / "parts", package / "stage/python/collio/native")
        if (folder / "lib/libcollio_mpiio.so").is_file()
    ]
    if found:
        return found[0]
    folder = tmp_path_factory.mktemp("parts")
    collect = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from native_parts "
        "import collect_parts; collect_parts(Path(sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", collect, ROOT / "tools", folder], stderr=subprocess.PIPE, text=True
    )
    return folder if done.returncode == 0 else pytest.skip(done.stderr.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def prefix(tmp_path_factory, compiled_parts):
    """An installation, moved away from where it was made."""
    folder = tmp_path_factory.mktemp("install")
    made, moved = folder / "made-here", folder / "moved" / "there"
    done = subprocess.run(
        [sys.executable, ROOT / "tools/install", "--prefix", made, "--parts", compiled_parts],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    if "No matching distribution" in done.stdout:
        pytest.skip("Python packages cannot be installed: no package index in reach")
    assert done.returncode == 0, done.stdout
    moved.parent.mkdir()
    made.rename(moved)
    return moved


def said(*words, **environment):
    done = subprocess.run(
        [str(word) for word in words],
        env=dict(os.environ, **environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tool(name):
    return shutil.which(name) or pytest.skip(f"no {name} on this machine")


# --- the command --------------------------------------------------------------------------------


def test_command_is_this_version(prefix):
    assert said(prefix / "bin/collio", "--version") == f"collio, version {__version__}\n"


def test_command_finds_its_prefix_through_links(prefix, tmp_path):
    (tmp_path / "one").symlink_to(prefix / "bin/collio")
    (tmp_path / "two").symlink_to("one")
    assert __version__ in said(tmp_path / "two", "--version")


def test_builds_are_in_the_moved_prefix(prefix):
    for mpi in json.loads(said(prefix / "bin/collio", "info", "--json"))["mpi"]:
        assert mpi["built"] and Path(mpi["build"]).is_relative_to(prefix)


def test_mount_has_its_program(prefix, compiled_parts, tmp_path):
    if not (compiled_parts / "bin/collio_mount").is_file():
        pytest.skip("these parts have no collio_mount: tools/install makes it, where libfuse 3 is")
    (tmp_path / "at").mkdir()
    told = subprocess.run(
        [prefix / "bin/collio", "mount", prefix / "bin", tmp_path / "at"], capture_output=True, text=True
    )
    if told.returncode != 0:
        pytest.skip(f"FUSE cannot be mounted here: {told.stderr}")
    assert os.listdir(tmp_path / "at") == ["collio"]
    subprocess.run(told.stdout.strip().split("to end it: ")[1].split(), check=True)


def test_no_file_names_the_place_it_was_made_in(prefix):
    old = os.fsencode(prefix.parents[1] / "made-here")
    assert not [path for path in prefix.rglob("*") if path.is_file() and old in path.read_bytes()]


def test_nothing_is_for_one_user_alone(prefix):
    assert all(path.stat().st_mode & 0o044 for path in prefix.rglob("*"))


def test_job_does_not_see_the_python_packages(prefix):
    """The user's own numpy is the one that the job imports."""
    path = said(
        prefix / "bin/collio",
        "run",
        "--",
        sys.executable,
        "-c",
        "import os, sys; print(sys.path, os.environ.get('PYTHONPATH'))",
    )
    assert str(prefix) not in path


def test_commands_that_start_collio_again_find_it(prefix):
    """`collio demo` and `collio lab` do."""
    again = (
        "import subprocess, sys; sys.path.insert(0, sys.argv[1]); from collio.run.own_python import "
        "module_command;"
        "sys.exit(subprocess.run(module_command('collio', '--version'), cwd='/').returncode)"
    )
    assert __version__ in said(sys._base_executable, "-I", "-c", again, prefix / "lib/collio/python")


def test_another_python_is_refused(prefix):
    pretend = (
        "import runpy, sys; sys.version_info = (3, 8, 0); runpy.run_path(sys.argv[1], run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", pretend, prefix / "lib/collio/python"], stderr=subprocess.PIPE, text=True
    )
    assert (
        done.returncode == 125
        and "COLLIO_PYTHON" in done.stderr
        and "but collio was installed for Python 3." in done.stderr
    )


def test_python_that_is_not_there_is_told(prefix):
    done = subprocess.run(
        [prefix / "bin/collio", "--version"],
        env=dict(os.environ, COLLIO_PYTHON="/no/python3"),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 125 and "there is no /no/python3" in done.stderr


def test_package_managers_bring_their_own_python_packages(compiled_parts, tmp_path):
    """The Python that runs the tool has them; the prefix has no others. There is no build/venv."""
    tool("cmake")
    prefix = tmp_path / "prefix"
    said(
        sys.executable,
        ROOT / "tools/install",
        "--prefix",
        prefix,
        "--parts",
        compiled_parts,
        "--no-packages",
        COLLIO_BUILD=str(tmp_path / "build"),
    )
    assert __version__ in said(prefix / "bin/collio", "--version")
    assert sorted(path.name for path in (prefix / "lib/collio/python").iterdir()) == [
        "__main__.py",
        "__pycache__",
        "collio",
    ]


def test_unknown_family_is_told(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "tools/install", "--prefix", tmp_path, "--families", "mpich,lam"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 2 and "lam: the families are mpich, openmpi, abi" in done.stderr


# --- jobs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_job_writes_and_reads(prefix, mpi, compiled, tmp_path):
    """Also with the library that a module file names, preloaded by hand."""
    if not (prefix / f"lib/collio/libcollio_engine_{mpi.family}.so").exists():
        pytest.skip(f"the compiled parts have no engine for {mpi.family}")
    jobs, data = Jobs(mpi, tmp_path), tmp_path / "data"
    program = compiled("c/turns.c", [mpi.mpicc])
    report = tmp_path / "report.json"
    launch = [mpi.mpiexec, "-n", RANKS, program]
    start(
        [prefix / "bin/collio", "run", "--report", report, "--", *launch, "write", data], jobs.environment()
    )
    assert_caught(json.loads(report.read_text())["files"], data, "write_all", "read_all")
    by_hand = dict(jobs.environment(), COLLIO_VERBOSE="1")
    preload = (
        said(
            "pkg-config", "--variable=preload", "collio", PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")
        ).strip()
        if shutil.which("pkg-config")
        else str(prefix / "lib/collio/libcollio_mpiio.so")
    )
    handed_on = [
        mpi.mpiexec,
        *(["-x", "LD_PRELOAD"] if mpi.family == "openmpi" else []),
        "-n",
        RANKS,
        program,
    ]
    by_hand["LD_PRELOAD"] = ":".join(filter(None, [preload, by_hand.get("LD_PRELOAD")]))
    assert "collio:" in start([*handed_on, "read", data], by_hand)


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_demo_with_the_programs_of_the_prefix(prefix, mpi, tmp_path):
    """They name no MPI library: it is preloaded, and their calls of MPI find it."""
    if not (prefix / f"lib/collio/python/collio/native/bin/{mpi.family}/e3sm_checkpoint").exists():
        pytest.skip(f"the compiled parts have no programs for {mpi.family}")
    output = start(
        [
            prefix / "bin/collio",
            "demo",
            "--ne",
            2,
            "--ranks",
            RANKS,
            "--repeat",
            1,
            "--mpi",
            mpi.id,
            "--dir",
            tmp_path,
        ],
        Jobs(mpi, tmp_path).environment(),
    )
    assert "files identical" in output


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_bench_links_with_the_library_of_the_prefix(prefix, mpi):
    program = prefix / f"lib/collio/python/collio/native/bin/{mpi.family}/collio_bench"
    if not program.exists():
        pytest.skip(f"the compiled parts have no programs for {mpi.family}")
    assert f"libcollio.so => {prefix}/" in said(tool("ldd"), program)


# --- what others read ---------------------------------------------------------------------------


def test_pkg_config(prefix):
    path = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    pkg_config = tool("pkg-config")
    assert said(pkg_config, "--modversion", "collio", **path).strip() == __version__
    assert Path(said(pkg_config, "--variable=preload", "collio", **path).strip()).is_file()
    assert list(
        Path(said(pkg_config, "--variable=engines", "collio", **path).strip()).glob("libcollio_engine_*.so")
    )
    assert Path(said(pkg_config, "--variable=fortran", "collio", **path).strip()).is_file()


def test_cmake_package(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(f"""
        cmake_minimum_required(VERSION 3.22)
        project(other LANGUAGES NONE)
        find_package(collio {__version__} REQUIRED)
        get_target_property(command collio::command IMPORTED_LOCATION)
        execute_process(COMMAND ${{command}} --version COMMAND_ERROR_IS_FATAL ANY)
        if(NOT EXISTS "${{COLLIO_PRELOAD}}" OR NOT IS_DIRECTORY "${{COLLIO_ENGINES}}")
          message(FATAL_ERROR "${{COLLIO_PRELOAD}}, ${{COLLIO_ENGINES}}")
        endif()
        find_package(collio 99 QUIET)
        if(collio_FOUND)
          message(FATAL_ERROR "any version will do")
        endif()
    """)
    assert __version__ in said(
        tool("cmake"), "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"
    )


# --- programs that use the library ----------------------------------------------------------------


EXAMPLES = {"c": "c/hello.c", "c++": "cpp/hello.cpp", "fortran": "fortran/hello.f90"}


def need_library(prefix, mpi):
    """And the engine for the MPI: compiled parts that were made before may be without."""
    for name in ("libcollio.so", f"libcollio_engine_{mpi.family}.so"):
        if not (prefix / "lib/collio" / name).exists():
            pytest.skip(f"the compiled parts have no {name}")


def compile_words(mpi, language, prefix):
    """A compiler and what pkg-config tells it."""
    path = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    source = ROOT / "examples" / EXAMPLES[language]
    flags, libraries = (
        said(tool("pkg-config"), word, "collio", **path).split() for word in ("--cflags", "--libs")
    )
    if language == "fortran":
        module = said("pkg-config", "--variable=fortran", "collio", **path).strip()
        return [
            mpi.mpifort or pytest.skip(f"{mpi.id} has no Fortran compiler wrapper"),
            module,
            source,
            *libraries,
        ]
    return [
        mpi.mpicc if language == "c" else mpicxx(mpi),
        "-std=c11" if language == "c" else "-std=c++17",
        *flags,
        source,
        *libraries,
    ]


def mpicxx(mpi):
    """Open MPI 4 has bindings for C++, which mpicc does not link with."""
    compiler = Path(mpi.mpicc).with_name(Path(mpi.mpicc).name.replace("mpicc", "mpicxx"))
    return compiler if compiler.exists() else pytest.skip(f"{mpi.id} has no C++ compiler wrapper")


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
@pytest.mark.parametrize("language", EXAMPLES)
def test_program_compiled_with_pkg_config(prefix, mpi, language, tmp_path):
    need_library(prefix, mpi)
    program = tmp_path / "hello"
    said(*compile_words(mpi, language, prefix), "-o", program)
    assert " 0 " in Jobs(mpi, tmp_path).natively([program], tmp_path / "hello.raw")


@pytest.mark.parametrize("mpi", REAL, ids=lambda mpi: mpi.id)
def test_programs_compiled_with_cmake(prefix, mpi, tmp_path):
    need_library(prefix, mpi)
    cmake, examples = tool("cmake"), ROOT / "examples"
    fortran = "Fortran" if mpi.mpifort and shutil.which("gfortran") else ""
    (tmp_path / "CMakeLists.txt").write_text(f"""
        cmake_minimum_required(VERSION 3.22)
        project(hello LANGUAGES C CXX {fortran})
        find_package(MPI REQUIRED COMPONENTS C CXX {fortran})
        find_package(collio {__version__} REQUIRED)
        add_executable(hello_c "{examples}/c/hello.c")
        add_executable(hello_cpp "{examples}/cpp/hello.cpp")
        target_compile_features(hello_cpp PRIVATE cxx_std_17)
        target_link_libraries(hello_c PRIVATE collio::collio MPI::MPI_C)
        target_link_libraries(hello_cpp PRIVATE collio::collio MPI::MPI_CXX)
        if("{fortran}")
          add_executable(hello_fortran "{examples}/fortran/hello.f90")
          target_link_libraries(hello_fortran PRIVATE collio::fortran MPI::MPI_Fortran)
        endif()
    """)
    build = tmp_path / "build"
    said(
        cmake,
        "-S",
        tmp_path,
        "-B",
        build,
        f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DMPI_C_COMPILER={mpi.mpicc}",
        f"-DMPI_CXX_COMPILER={mpicxx(mpi)}",
        f"-DMPI_Fortran_COMPILER={mpi.mpifort or ''}",
    )
    said(cmake, "--build", build)
    for program in sorted(build.glob("hello_*")):
        assert " 0 " in Jobs(mpi, tmp_path).natively([program], tmp_path / "hello.raw")


# --- what other tools read: module files, man pages, completion -----------------------------------


TCL = """
proc module-whatis {text} {}
proc prepend-path {name value} { puts "$name $value" }
proc append-path {name value} {}
proc setenv {name value} { puts "$name $value" }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
"""
LUA = """
function help(text) end
function whatis(text) end
function pathJoin(one, other) return one .. "/" .. other end
function prepend_path(name, value) print(name .. " " .. value) end
function append_path(name, value) end
function setenv(name, value) print(name .. " " .. value) end
function myFileName() return arg[1] end
dofile(arg[1])
"""


@pytest.mark.parametrize(
    "language, text, ending", [("tclsh", TCL, ""), ("lua", LUA, ".lua")], ids=["tcl", "lua"]
)
def test_module_file(prefix, tmp_path, language, text, ending):
    """With stand-ins for the words of module files; where they are, Environment Modules and Lmod need no
    other."""
    script = tmp_path / "words"
    script.write_text(text)
    lines = said(
        tool(language), script, prefix / f"share/modulefiles/collio/{__version__}{ending}"
    ).splitlines()
    variables = dict(line.split(" ", 1) for line in lines)
    assert variables == {
        "PATH": f"{prefix}/bin",
        "MANPATH": f"{prefix}/share/man",
        "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig",
        "CMAKE_PREFIX_PATH": str(prefix),
        "COLLIO_PRELOAD": f"{prefix}/lib/collio/libcollio_mpiio.so",
    }
    assert all(Path(value).exists() for value in variables.values())


def test_every_command_has_a_man_page(prefix):
    from collio.cli import COMMANDS, SUBFILES

    pages = prefix / "share/man/man1"
    names = [*COMMANDS, *SUBFILES, *(f"subfiles-{name}" for name in SUBFILES)]
    assert not [
        name
        for name in ["", *(f"-{command}" for command in names)]
        if not (pages / f"collio{name}.1").is_file()
    ]
    assert "collio\\-run \\- Run an MPI job" in (pages / "collio-run.1").read_text()
    assert (pages / "collio-lab-run.1").is_file(), "commands of commands have theirs"


def test_a_man_page_has_every_hint(prefix):
    from collio.hints import HINTS

    page = (prefix / "share/man/man7/collio-hints.7").read_text()
    shown = re.findall(r"^\\fB(\w+)\\fP=", page, re.MULTILINE)
    assert sorted(shown) == sorted(hint.key for hint in HINTS) and shown[0] == "collio_enable"


def test_man_pages_are_correct_roff(prefix):
    groff = tool("groff")
    for page in sorted((prefix / "share/man").glob("man*/*")):
        done = subprocess.run(
            [groff, "-Kutf8", "-man", "-Tutf8", "-wmac", "-Wbreak", "-z", page],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert done.returncode == 0 and not done.stderr, f"{page.name}: {done.stderr}"


@pytest.mark.parametrize(
    "shell, place, words",
    [
        ("bash", "share/bash-completion/completions/collio", {"COMP_WORDS": "collio r", "COMP_CWORD": "1"}),
        ("zsh", "share/zsh/site-functions/_collio", {"COMP_WORDS": "collio r", "COMP_CWORD": "1"}),
        (
            "fish",
            "share/fish/vendor_completions.d/collio.fish",
            {"COMP_WORDS": "collio r", "COMP_CWORD": "r"},
        ),
    ],
)
def test_completion(prefix, shell, place, words):
    """The file is correct, where there is such a shell, and what it asks of the command has an answer."""
    answer = said(prefix / "bin/collio", _COLLIO_COMPLETE=f"{shell}_complete", **words)
    assert "run" in answer and "report" in answer and "info" not in answer
    assert f"_COLLIO_COMPLETE={shell}_complete" in (prefix / place).read_text()
    if shutil.which(shell):
        said(shell, "-n", prefix / place)


def test_bash_completes(prefix):
    script = (
        f"source {prefix}/share/bash-completion/completions/collio; COMP_WORDS=(collio rep); "
        "COMP_CWORD=1; _collio_completion collio; echo ${COMPREPLY[@]}"
    )
    assert said(tool("bash"), "-c", script, PATH=f"{prefix}/bin:{os.environ['PATH']}").strip() == "report"


def test_python_program_imports_the_library(prefix, jobs_of_family, tmp_path):
    """By PYTHONPATH, with the system's own mpi4py and NumPy."""
    python = system_python("mpi4py", "numpy")
    jobs = jobs_of_family(family_of_mpi4py())
    need_library(prefix, jobs.mpi)
    words = [jobs.mpi.mpiexec, "-n", RANKS, python, ROOT / "examples/python/hello.py", tmp_path / "hello.raw"]
    assert "[0 0 0 1 1 1 2 2 2 3 3 3]" in start(
        words, dict(jobs.environment(), PYTHONPATH=str(prefix / "lib/collio/import"))
    )


def test_program_of_pio(prefix, jobs_of_family, tmp_path):
    """Where libcollio_pio was built."""
    if not (prefix / "lib/collio/libcollio_pio.so").exists():
        pytest.skip("the prefix has no libcollio_pio")
    jobs, program = jobs_of_family(family_of_library("pnetcdf")), tmp_path / "steps"
    flags = said(
        tool("pkg-config"),
        "--cflags",
        "--libs",
        "collio_pio_scorpio",
        PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"),
    ).split()
    assert flags.index("-lcollio_pio_scorpio") < flags.index("-lcollio_pio")
    said(jobs.mpi.mpicc, "-o", program, ROOT / "examples/c/pio_steps.c", *flags)
    assert " 0 values are wrong" in jobs.natively([program], tmp_path / "steps.nc")
