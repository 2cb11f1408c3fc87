"""The repository speaks of the project alone: no place of one person's machine, nothing left for later."""

import re

import source_tree

FORBIDDEN = {
    "a folder of somebody's machine": re.compile(r"(?<![\w.~}])/(?:work|root|home)/\w"),
    "an address of a package registry": re.compile(
        r"\b(?:deb\.debian|archive\.ubuntu|pypi|files\.pythonhosted)\.(?:org|com)\b"
    ),
    "something left for later": re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b"),
}
LARGEST_BYTES = 2_000_000


def texts():
    for path in source_tree.repository_files():
        content = path.read_bytes()
        if b"\0" not in content[:8192]:
            yield path, content.decode("utf-8")


def test_repository_text():
    found = [
        f"{source_tree.relative(path)}:{number}: {what}: {line.strip()[:100]}"
        for path, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in FORBIDDEN.items()
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_large_files():
    large = [
        source_tree.relative(path)
        for path in source_tree.repository_files()
        if path.stat().st_size > LARGEST_BYTES
    ]
    assert not large, f"over {LARGEST_BYTES} bytes: {large}"


def test_source_files_say_what_they_are_for():
    """Each file opens with a comment or docstring; a source next to its header may leave it to that."""
    silent = []
    for path in source_tree.files(
        "src",
        "include",
        "pio",
        "bench",
        "lab",
        "python",
        "tools",
        suffixes=(*source_tree.CPP_SUFFIXES, ".py"),
    ):
        lines = [line for line in path.read_text().splitlines() if line.strip()]
        head = [
            line
            for line in lines[:8]
            if not line.startswith(("#!", "#pragma", "#include", "#ifndef", "#define"))
        ]
        told = any(re.match(r'\s*(//|/\*|\*|"""|#|r""")', line) for line in head[:3])
        has_header = path.suffix in (".cpp", ".c") and any(
            path.with_suffix(end).exists() for end in (".hpp", ".h")
        )
        if len(lines) > 12 and not told and not has_header:
            silent.append(source_tree.relative(path))
    assert not silent, f"these open without saying what they are for: {silent}"
