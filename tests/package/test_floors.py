"""The house has floors: a file includes only from its own floor or from floors below it (CONTRIBUTING.md)."""

import re

import pytest

import source_tree

# Lowest first. Folders of one floor may use each other, but not both ways.
FLOORS = (
    ("core",),
    ("observe",),
    ("machine",),
    ("policy", "access", "netcdf"),
    ("flow",),
    ("transport", "storage"),
    ("engine",),
    ("mpiio", "capi", "simulate", "view"),
    ("pnetcdf", "timers"),
)
LEVEL = {folder: level for level, folders in enumerate(FLOORS) for folder in folders}
WITHOUT_MPI = ("core", "observe", "machine", "policy", "flow", "netcdf", "simulate")
WITHOUT_SYSTEM = ("core", "machine", "policy", "flow", "netcdf")
# Standard C++ headers that reach the operating system; every C header (<unistd.h>, <sys/mman.h>) does, too.
SYSTEM_HEADERS = {"<filesystem>", "<fstream>", "<thread>", "<mutex>", "<condition_variable>", "<future>"}
# C headers that belong to the compiler: instructions of the processor, no system.
PROCESSOR_HEADERS = {"<immintrin.h>"}
PUBLIC_HEADER = '"collio/collio.h"'
SOURCES = source_tree.files("src")


def folder_of(path):
    return path.relative_to(source_tree.ROOT / "src").parts[0]


def is_reader(path):
    """The machine's readers ask hwloc, Slurm and files: they may see the system."""
    return folder_of(path) == "machine" and "reader" in path.as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=source_tree.relative)
def test_includes_only_from_below(path):
    own = folder_of(path)
    assert own in LEVEL, f"src/{own} is no floor of the house"
    for name in source_tree.includes(path):
        if name == PUBLIC_HEADER:
            assert own == "capi", f"{name} is what capi has the functions of"
        elif name.startswith('"'):
            folder = name.strip('"').split("/")[0]
            assert folder in LEVEL, f'{name}: write includes from src/, as in "core/extent.hpp"'
            assert folder == own or LEVEL[folder] <= LEVEL[own], f"{name} is above src/{own}"


def test_the_library_does_not_stand_on_the_interposer():
    """capi and mpiio are fronts of engine/session; what finds the MPI library of a process is shared."""
    shared = {'"mpiio/shim/shim.h"'}
    for path in SOURCES:
        if folder_of(path) == "capi":
            above = {name for name in source_tree.includes(path) if name.startswith('"mpiio/')} - shared
            assert not above, f"{source_tree.relative(path)} includes {sorted(above)}"


def test_folders_of_a_floor_use_each_other_only_one_way():
    uses = {
        (folder_of(path), name.strip('"').split("/")[0])
        for path in SOURCES
        for name in source_tree.includes(path)
        if name.startswith('"')
    }
    assert not {(one, other) for one, other in uses if one < other and (other, one) in uses}


def room_of(name):
    """engine/call of engine/call/plan.hpp; None for a file that stands on the floor itself."""
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) == 3 else None


def cycle_in(uses):
    """Rooms that use each other in a circle; empty: none do."""
    left = dict(uses)
    while True:
        free = {room for room, used in left.items() if not used & left.keys()}
        if not free:
            return sorted(left)
        left = {room: used for room, used in left.items() if room not in free}


def test_cycle_is_found():
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["a", "b", "c"]
    assert not cycle_in({"a": {"b"}, "b": {"c"}, "c": set()})


def test_rooms_of_a_floor_use_each_other_only_one_way():
    uses = {}
    for path in SOURCES:
        own = room_of(path.relative_to(source_tree.ROOT / "src").as_posix())
        included = {room_of(name.strip('"')) for name in source_tree.includes(path) if name.startswith('"')}
        uses.setdefault(own, set()).update(included - {own, None})
    uses.pop(None)
    assert not cycle_in(uses)


# A name of C that other files may use, where its line begins: of a function or a variable.
C_NAME = re.compile(
    r"^(?!static|typedef|return|extern|struct \w+ \{)(?:[A-Za-z_][\w ]*?[ *]+)(\w+)"
    r"(?:\([^;{}]*\)\s*\{|(?:\[\w*\])?(?: = [^;]*)?;)",
    re.MULTILINE,
)


def c_uses(texts):
    """{file: other files that define what it uses}, of texts in C by their names; two may define one name."""
    texts = {name: source_tree.blank_out(text) for name, text in texts.items()}
    defined = {name: set(C_NAME.findall(text)) for name, text in texts.items()}
    words = {name: set(re.findall(r"\w+", text)) for name, text in texts.items()}
    return {
        name: {other for other in texts if other != name and (defined[other] - defined[name]) & words[name]}
        for name in texts
    }


def test_uses_of_c_files_are_found():
    texts = {
        "a": "int shown;\nint f(int x) {\n  return g();\n}\n",
        "b": "int g(void) { return shown; }\n",
        "c": "static int g2(void) {\n  return f(1);\n}\n",
    }
    assert c_uses(texts) == {"a": {"b"}, "b": {"a"}, "c": {"a"}}


def test_c_files_of_a_folder_use_each_other_only_one_way():
    """They share headers, so their includes do not show it."""
    folders = {}
    for path in source_tree.files("src", "pio", "lab", "bench", suffixes=(".c",)):
        folders.setdefault(source_tree.relative(path.parent), {})[path.name] = path.read_text()
    assert not {folder: circle for folder, texts in folders.items() if (circle := cycle_in(c_uses(texts)))}


# A function's name where its line begins: of a declaration (`;`) or a definition (`{`), outside of classes.
HEAD = re.compile(
    r"^(?:\[\[nodiscard\]\] )?(?!return|using|typedef|#|namespace|template|struct|class)"
    r"[A-Za-z_][\w:<>*&, ]*?[ *&](\w+)\((?:[^;{}]|\{\})*?\)(?: noexcept)?( try)? ?([;{])",
    re.MULTILINE,
)


def names(text, end):
    """Functions that a text without classes' members declares (end ";") or defines ("{")."""
    return {match[1] for match in HEAD.finditer(text) if match[3] == end}


def test_names_are_found():
    text = (
        "[[nodiscard]] Result<int> f(int a,\n  B b = {});\nvoid g() noexcept {\n  h();\n}\n  int "
        "member(int);\n"
    )
    assert names(text, ";") == {"f"} and names(text, "{") == {"g"}


def test_headers_declare_what_their_own_room_defines():
    """Else calls go up where includes go down."""
    texts = {path: path.read_text() for path in SOURCES if path.suffix in (".cpp", ".hpp")}
    defined, astray = {}, []
    for path, text in texts.items():
        for name in names(text, "{"):
            defined.setdefault(name, set()).add(path.parent)
    for path, text in texts.items():
        if path.suffix == ".hpp":
            astray += [
                f"{source_tree.relative(path)}: {name}"
                for name in sorted(names(text, ";"))
                if path.parent not in defined.get(name, {path.parent})
            ]
    assert not astray


@pytest.mark.parametrize("path", SOURCES, ids=source_tree.relative)
def test_pure_floors_see_neither_mpi_nor_system(path):
    own, included = folder_of(path), set(source_tree.includes(path))
    if own in WITHOUT_MPI:
        assert not {"<mpi.h>", '"mpi.h"'} & included, f"src/{own} knows no MPI"
    if own in WITHOUT_SYSTEM and not is_reader(path):
        c_headers = {name for name in included - PROCESSOR_HEADERS if re.match(r"<.*\.h>", name)}
        system = c_headers | (included & SYSTEM_HEADERS)
        assert not system, f"src/{own} knows no operating system, but includes {sorted(system)}"


def test_public_headers_show_nothing_private():
    for path in source_tree.files("include"):
        for name in source_tree.includes(path):
            assert name.startswith("<") or name.startswith('"collio/'), (
                f"{source_tree.relative(path)}: {name}"
            )


def test_pio_is_a_program_to_collio():
    """It stands beside the floors: it uses the public header, and what it shares with the front of
    PnetCDF."""
    own = {f'"{path.name}"' for path in source_tree.files("pio")}
    for path in source_tree.files("pio"):
        for name in source_tree.includes(path):
            assert (
                name in own
                or name == "<collio/collio.h>"
                or name.startswith('"netcdf/')
                or re.fullmatch(r"<(sys/)?[^/]+>", name)
            ), f"{source_tree.relative(path)}: {name}"
