"""Functions stay within 70 lines and files within 400; functions take at most 5 parameters.

What is larger already is listed in known_offenders.txt with its size. That list may only shrink: an entry
that grew fails the test, and one that shrank or went must be updated, so that it cannot grow back.
"""

import re
from pathlib import Path

import source_tree

MOST_LINES, MOST_PARAMETERS, MOST_FILE_LINES = 70, 5, 400
FOLDERS = ("src", "include", "pio", "bench", "tests", "python", "lab", "tools")
LIST = Path(__file__).with_name("known_offenders.txt")


def offenders():
    """{"path:function lines|parameters" or "path file-lines": size} of everything over a limit."""
    found = {}
    python_files = list(source_tree.python_files())
    for path in [*source_tree.files(*FOLDERS), *python_files]:
        name = source_tree.relative(path)
        python = path in python_files
        for function in (source_tree.python_functions if python else source_tree.cpp_functions)(path):
            if function.lines > MOST_LINES:
                found[f"{name}:{function.name} lines"] = function.lines
            if function.parameters > MOST_PARAMETERS and not signature_is_given(name, function.name):
                found[f"{name}:{function.name} parameters"] = function.parameters
        lines = path.read_text().count("\n")
        if lines > MOST_FILE_LINES:
            found[f"{name} file-lines"] = lines
    return found


def signature_is_given(file, name):
    """MPI's own functions take what the standard says, and so do those that stand in for them; libfuse's
    callbacks what libfuse says; stand-ins for drivers of devices what the drivers say; functions of PIO what
    PIO says."""
    if file.startswith("pio/") and name.startswith(("PIOc_", "collio_scorpio_")):
        return True
    if file.startswith(("lab/striped/", "lab/target/", "src/view/mount/")) and name.startswith("on_"):
        return True
    if file.startswith("tests/device/stand_in/") and name.startswith(("cu", "hip", "ze")):
        return True
    stands_in = file.startswith("src/mpiio/") and re.fullmatch(
        r"(open|set_view|(i?read|i?write)\w*)(_c)?", name
    )
    return name.startswith(("MPI_", "PMPI_")) or bool(stands_in)


def known():
    entries = [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return {entry.rsplit(" ", 1)[0]: int(entry.rsplit(" ", 1)[1]) for entry in entries}


def test_nothing_new_is_too_large():
    before = known()
    worse = {name: size for name, size in offenders().items() if size > before.get(name, 0)}
    assert not worse, f"split these up: {worse}"


def test_list_of_offenders_only_shrinks():
    now = offenders()
    better = {name: (size, now.get(name)) for name, size in known().items() if now.get(name, 0) < size}
    assert not better, f"better than known_offenders.txt says; update it (known, now): {better}"


def test_reader_finds_functions():
    text = source_tree.blank_out("""
        namespace a { struct B {
          B(int x) : x_{x} {}
          int get() const noexcept { return "}"[0]; }  // }
        }; }
        template <class T>
        auto pair(std::map<int, T> one, void (*two)(int, int)) -> int {
          if (one.empty()) { return 0; }
          auto inner = [](int a, int b, int c) { return a + b + c; };
          return inner(1, 2, 3);
        }
    """)
    functions = {one.name: one for one in source_tree.find_functions(text)}
    assert set(functions) == {"B", "get", "pair"}
    assert functions["pair"].parameters == 2 and functions["pair"].lines == 6
    assert functions["get"].parameters == 0 and functions["get"].lines == 1
