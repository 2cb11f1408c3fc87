"""What the package tests know about the source tree: its files, and the functions in a C++ file.

The C++ reader is no parser: it strips comments and strings and matches braces, which is enough to find where
functions begin and end and how many parameters they take, in the style this project is written in.
"""

import ast
import dataclasses
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_SUFFIXES = (".cpp", ".hpp", ".c", ".h")


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    first_line: int
    lines: int
    parameters: int


def files(*folders, suffixes=CPP_SUFFIXES):
    """All source files below these folders of the repository, sorted; folders that do not exist count as
    empty."""
    found = []
    for folder in folders:
        found += [path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes and path.is_file()]
    return sorted(found)


def repository_files():
    """All files that are part of the repository, or would be at the next `git add`."""
    listed = (
        subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            stdout=subprocess.PIPE,
            check=True,
        )
        .stdout.decode()
        .split("\0")
    )
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def python_files():
    """Modules, and programs without an ending; not the template that tools/install fills in."""
    for path in repository_files():
        program = not path.suffix and path.read_bytes().startswith(b"#!/usr/bin/env python3\n")
        if (path.suffix == ".py" or program) and path != ROOT / "packaging/prefix/main.py":
            yield path


def relative(path):
    return path.relative_to(ROOT).as_posix()


def includes(path):
    """The names a file includes, each with its quotes or angle brackets."""
    return re.findall(r'^\s*#\s*include\s*([<"][^>"]+[>"])', path.read_text(), re.MULTILINE)


def cpp_functions(path):
    return find_functions(blank_out(path.read_text()))


def python_functions(path):
    """Parameters are those that a call may give by position. A test takes fixtures, and a function with a
    decorator what this gives, such as a command its options."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = node.args
            names = [
                one.arg for one in arguments.posonlyargs + arguments.args if one.arg not in ("self", "cls")
            ]
            own = {"classmethod", "staticmethod"}.issuperset(map(ast.unparse, node.decorator_list))
            count = len(names) if own and not node.name.startswith("test_") else 0
            yield Function(node.name, node.lineno, node.end_lineno - node.lineno + 1, count)


# --- C++ ----------------------------------------------------------------------------------------

_NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'"""
    r"""|^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE,
)
_CONTAINER = re.compile(r"(?:^|\s)(?:namespace|class|struct|union|enum|extern)\b(?!.*\))", re.DOTALL)


def blank_out(text):
    """The text with comments, strings and preprocessor lines as spaces, so that lines keep their numbers."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def find_functions(text):
    functions, depth, since, opened = [], 0, 0, None
    containers = []
    for at, letter in enumerate(text):
        if letter == "{":
            head = text[since:at]
            if opened is None and depth == len(containers):
                function = _function_head(head)
                if function:
                    opened = (function, since + len(head) - len(head.lstrip()), depth)
                elif _CONTAINER.search(head):
                    containers.append(depth)
            depth += 1
        elif letter == "}":
            depth -= 1
            if opened and opened[2] == depth:
                (name, parameters), start, _ = opened
                first = text.count("\n", 0, start) + 1
                functions.append(Function(name, first, text.count("\n", start, at) + 1, parameters))
                opened = None
            elif containers and containers[-1] == depth:
                containers.pop()
        if letter in ";{}" and (letter != ";" or _parentheses(text[since:at]) == 0):
            since = at + 1
    return functions


def _parentheses(text):
    return text.count("(") - text.count(")")


def _function_head(head):
    """(name, number of parameters) if this text before a brace opens a function."""
    head = re.sub(r"\b(?:public|private|protected)\s*:", " ", head.strip())
    head = re.sub(r"\[\[[^\]]*\]\]", " ", head)
    first = head.find("(")
    if first < 0 or "=" in re.sub(r"operator\s*[=!<>]+", "", head[:first]):
        return None
    name = re.search(r"(operator\s*\S*|~?[A-Za-z_][\w:]*)\s*(?:<[^<>]*>)?\s*$", head[:first])
    if not name or name.group(1) in ("if", "for", "while", "switch", "catch", "return"):
        return None
    depth, commas, inner = 0, 0, ""
    for letter in head[first:]:
        depth += (letter in "(<[") - (letter in ")>]")
        if depth == 0:
            break
        commas += letter == "," and depth == 1
        inner += letter
    empty = inner[1:].strip() in ("", "void")
    return name.group(1), 0 if empty else commas + 1
