"""The recipes under packaging/ fit the project: its version, what it imports, the options of tools/install,
the files it has.

Spack's and EasyBuild's own words have stand-ins here.
"""

import re
import runpy
import subprocess
import sys
import types

import pytest

import source_tree
from collio import __version__

ROOT = source_tree.ROOT
PACKAGING = ROOT / "packaging"
EASYCONFIG = PACKAGING / "easybuild" / f"collio-{__version__}-foss-2023b.eb"


@pytest.fixture(scope="module")
def options_of_install():
    told = subprocess.run(
        [sys.executable, ROOT / "tools/install", "--help"], stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    return set(re.findall(r"(?<!\S)\[?(--[\w-]+)", told))


def imported_packages():
    """Names of the Python packages that collio needs, in small letters."""
    text = (ROOT / "pyproject.toml").read_text()
    listed = re.search(r"^dependencies = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL).group(1)
    return {name.lower() for name in re.findall(r'"([\w-]+)>=', listed)}


def assert_tools_install_has(options_of_install, words):
    assert words[0] == "tools/install" and "--prefix" in words
    assert {word for word in words if word.startswith("--")} <= options_of_install


# --- Spack --------------------------------------------------------------------------------------


class Mpi:
    """The MPI of a spec."""

    def __init__(self, name, prefix):
        self.name, self.prefix = name, types.SimpleNamespace(include=f"{prefix}/include")


@pytest.fixture
def spack(monkeypatch):
    """The recipe's class, what its directives were given, and the words of the commands it starts."""
    given, commands = [], []

    def directive(name):
        return lambda *words, **settings: given.append((name, words, settings))

    words = {
        name: directive(name)
        for name in ("license", "version", "depends_on", "extends", "requires", "conflicts", "variant")
    }
    words.update(
        python=lambda *line: commands.append([str(word) for word in line]),
        join_path=lambda *parts: "/".join(map(str, parts)),
        run_after=lambda phase: lambda function: function,
        on_package_attributes=lambda **_: lambda function: function,
    )
    for name in (
        "spack",
        "spack.package",
        "spack_repo",
        "spack_repo.builtin",
        "spack_repo.builtin.build_systems",
        "spack_repo.builtin.build_systems.generic",
    ):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    vars(sys.modules["spack.package"]).update(words)
    sys.modules["spack_repo.builtin.build_systems.generic"].Package = object
    recipe = runpy.run_path(str(PACKAGING / "spack/packages/collio/package.py"))["Collio"]
    return types.SimpleNamespace(recipe=recipe, given=given, commands=commands)


def test_spack_depends_on_what_collio_imports(spack):
    names = {re.split(r"[@ ]", words[0])[0] for name, words, _ in spack.given if name == "depends_on"}
    assert {f"py-{name}" for name in imported_packages()} == {
        name for name in names if name.startswith("py-")
    }
    assert {"mpi", "cmake", "ninja", "cxx"} <= names


@pytest.mark.parametrize(
    "name, header, families",
    [
        ("openmpi", False, "openmpi"),
        ("mpich", False, "mpich"),
        ("mpich", True, "mpich,abi"),
        ("intel-oneapi-mpi", True, "mpich"),
    ],
)
def test_spack_installs_the_family_of_its_mpi(spack, options_of_install, tmp_path, name, header, families):
    (tmp_path / "include").mkdir()
    if header:
        (tmp_path / "include/mpi_abi.h").touch()
    package = spack.recipe()
    package.spec = {"mpi": Mpi(name, tmp_path)}
    package.install(package.spec, "/prefix")
    [words] = spack.commands
    assert_tools_install_has(options_of_install, words)
    assert words[words.index("--families") + 1] == families


# --- EasyBuild ----------------------------------------------------------------------------------


def test_easyconfig(options_of_install):
    names = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz"}
    exec(compile(EASYCONFIG.read_text(), str(EASYCONFIG), "exec"), names)
    assert names["version"] == __version__
    [command] = names["install_cmds"]
    assert_tools_install_has(options_of_install, command.split()[1:])
    # Those that are in bundles of others.
    bundles = {
        "Python-bundle-PyPI": ("click", "jinja2"),
        "SciPy-bundle": ("numpy",),
        "netcdf4-python": ("netcdf4",),
    }
    brought = {package for name, _ in names["dependencies"] for package in bundles.get(name, (name.lower(),))}
    assert imported_packages() - {"tomli"} <= brought, "tomli is for Python older than 3.11"


# --- containers ---------------------------------------------------------------------------------


def test_containerfile_copies_what_is_there():
    text = (PACKAGING / "Containerfile").read_text()
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for name in line.split()[:-1]
    ]
    assert {"CMakeLists.txt", "src", "tools", "python", "packaging"} <= set(copied)
    assert all((ROOT / name).exists() for name in copied)
    target = re.search(r"^RUN (make install PREFIX=\S+)$", text, re.MULTILINE).group(1)
    assert (
        subprocess.run(["make", "-n", *target.split()[1:]], cwd=ROOT, stdout=subprocess.DEVNULL).returncode
        == 0
    )
