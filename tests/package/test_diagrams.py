"""The diagrams in docs/images are what their sources in docs/diagrams draw, and well-formed."""

import subprocess
import sys
import xml.etree.ElementTree as xml

import source_tree

IMAGES = source_tree.ROOT / "docs/images"


def test_images_are_what_the_sources_draw():
    done = subprocess.run(
        [sys.executable, str(source_tree.ROOT / "docs/diagrams/draw.py"), "--check"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_images_have_a_title_and_dark_colours():
    """A screen reader says the title. Without colours for dark pages the text cannot be read there."""
    for path in IMAGES.glob("*.svg"):
        assert xml.parse(path).getroot()[0].tag.endswith("title"), path.name
        assert "prefers-color-scheme: dark" in path.read_text(), path.name
