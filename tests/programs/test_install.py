"""What `make install` leaves in a prefix works where the prefix is moved to: the command, and what other
tools read of it. Jobs: test_install_programs.py."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from collio import __version__
from installed import said, tool

ROOT = Path(__file__).resolve().parents[2]


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
