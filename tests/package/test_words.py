"""Pages, messages and comments avoid words that betray translation, or that need to be read twice
(docs/style.md)."""

import ast
import re
from pathlib import Path

import pytest

import source_tree

ROOT = source_tree.ROOT
WORDS = {
    # word: (what to write, pattern)
    "behind, of time": (
        "after",
        r"\bbehind (?:(?:the|a|an|its|this|that|each|his) "
        r")?(?:calls?|close|commits?|joins?|open|opens|digest|reduction|exchange|sync)\b",
    ),
    "told": ("reported, informed, returned", r"\b(?:told|untold|tells?|telling)\b"),
    "hears of": ("receives, is informed", r"\bhear[sd]? (?:of|from)\b"),
    "is none": ("does not exist, is invalid", r"(?<!there )\b(?:is|are|was|were) (?-i:none)\b"),
    "Of X it has Y": (
        "It has Y of X",
        r"(?:^|[.!?:|] )Of (?:a|an|the|files?|two|several|many|all|these|those|such)\b",
    ),
    "in turns": ("alternating", r"\bin turns\b"),
    "apart": ("separately", r"(?<=\w )(?<!hops )(?<!far )apart\b(?! from)"),
    "anew": ("again", r"\banew\b"),
    "amid": ("in the middle of", r"\bamid\b"),
    "likewise": ("also", r"\blikewise\b"),
    "as ever": ("as usual", r"\bas ever\b"),
    "dear": ("expensive", r"\bdear(?:er)?\b"),
    "the middle one": ("the median", r"\bmiddle (?:one|rate)\b"),
    "meet": ("synchronize; a reduction", r"\b(?:meet|meets|meeting|meetings)\b"),
    "alone, by its own calls": ("independently", r"\b(?:goes alone|go alone|by (?:its|their) own calls)\b"),
    "mend": ("fix", r"\bmend(?:s|ed|ing)?\b"),
    "cannot be had": ("is not available", r"\bcannot be had\b"),
    "what came of it": ("the result", r"\bwhat came of\b"),
    "has its turn": ("is next", r"\bha(?:s|ve) (?:its|their) turn\b"),
    "as far as": ("name the limit", r"\bas far as\b"),
    "but for": ("except", r"\bbut for\b"),
    "by itself": ("name what does it", r"\bby itself\b"),
    "whoever": ("name the subject", r"\bwhoever\b"),
    "in the middle of it": ("name what", r"\bin the middle of it\b"),
    "so many": ("the number", r"\bso (?:many|often)\b(?! that)"),
}
PATTERNS = {
    word: re.compile(pattern, re.IGNORECASE if word != "Of X it has Y" else 0)
    for word, (_, pattern) in WORDS.items()
}
COMMENTED = source_tree.files(
    "src",
    "include",
    "pio",
    "bench",
    "lab",
    "python",
    "planner",
    "tools",
    suffixes=(*source_tree.CPP_SUFFIXES, ".def", ".py"),
)
TABLES = ("hints.def", "report.def", "faults.def")
KNOWN = Path(__file__).with_name("known_words.txt")
"""How often a comment still has each word. These numbers may only shrink."""


def found_in(text):
    """{word: the lines that have it} of a text."""
    return {
        word: [line.strip() for line in text.splitlines() if pattern.search(line)]
        for word, pattern in PATTERNS.items()
        if pattern.search(text)
    }


def prose(path):
    """A page without code and without the targets of links; paragraphs as lines."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "`code`", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"(?<![|\n])\n(?![\n|#*-]|\d\.)", " ", text)


PAGES = [
    path
    for path in source_tree.repository_files()
    if path.suffix == ".md" and path.name not in ("glossary.md", "style.md")
]


@pytest.mark.parametrize("path", PAGES, ids=source_tree.relative)
def test_pages(path):
    assert not (found := found_in(prose(path))), "\n".join(
        f"{word} -> {WORDS[word][0]}: {line[:200]}" for word, lines in found.items() for line in lines
    )


# --- what programs print ------------------------------------------------------------------------


def messages_of(path):
    """Texts of several words in a source: literals of C and C++; strings of Python other than those that
    explain a name."""
    if path.suffix != ".py":
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)
        return [text for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code) if " " in text]
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and " " in node.value
        and id(node) not in docstrings
    ]


def helps():
    """Docstrings of commands are their help."""
    from collio.cli import main

    for module in {
        ROOT / "python" / f"{place.split(':')[0].replace('.', '/')}.py" for place in main.places.values()
    }:
        yield from (
            (module, ast.get_docstring(node) or "")
            for node in ast.walk(ast.parse(module.read_text()))
            if isinstance(node, ast.FunctionDef) and node.decorator_list
        )


def test_messages_and_helps():
    texts = [
        (path, text)
        for path in COMMENTED
        if path.is_relative_to(ROOT / "src")
        or path.is_relative_to(ROOT / "python")
        or path.is_relative_to(ROOT / "pio")
        for text in messages_of(path)
    ] + [*helps()]
    assert len(texts) > 1000
    wrong = [
        f"{source_tree.relative(path)}: {word} -> {WORDS[word][0]}: {lines[0][:150]}"
        for path, text in texts
        for word, lines in found_in(text).items()
    ]
    assert not wrong, "\n".join(wrong)


# --- comments -----------------------------------------------------------------------------------


def comments_of(path):
    text = path.read_text()
    if path.suffix == ".py":
        return "\n".join([*re.findall(r"#[^\n]*", text), *re.findall(r'"""(.*?)"""', text, re.DOTALL)])
    return "\n".join(re.findall(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL))


def test_comments_get_no_further_ones():
    known = {word: int(count) for count, word in re.findall(r"^(\d+) (.*)$", KNOWN.read_text(), re.MULTILINE)}
    assert set(known) <= set(WORDS)
    counts = dict.fromkeys(WORDS, 0)
    where = {}
    for path in COMMENTED:
        for word, lines in found_in(comments_of(path)).items():
            counts[word] += len(lines)
            where.setdefault(word, []).append(source_tree.relative(path))
    more = [
        f"{word} -> {WORDS[word][0]}: {count} comments, {known.get(word, 0)} allowed; in "
        f"{', '.join(where[word])}"
        for word, count in counts.items()
        if count > known.get(word, 0)
    ]
    assert not more, "\n".join(more)


@pytest.mark.parametrize(
    "text, word",
    [
        ("joined behind close", "behind, of time"),
        ("no rank is told", "told"),
        ("nodes that are none", "is none"),
        ("Of files of one rank it gets all.", "Of X it has Y"),
        ("runs in turns", "in turns"),
        ("measured apart", "apart"),
        ("the middle one's rate", "the middle one"),
        ("ranks meet once", "meet"),
    ],
)
def test_words_are_found(text, word):
    assert word in found_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "storage behind a network",
        "apart from the first",
        "one after the other, in turn",
        "so many that it fails",
    ],
)
def test_other_meanings_pass(text):
    assert not found_in(text)
