"""The shapes a network may have, by the name a machine file gives them."""

from __future__ import annotations

from collio.machine_file.shapes.dragonfly import Dragonfly
from collio.machine_file.shapes.fat_tree import FatTree
from collio.machine_file.shapes.graph import Custom
from collio.machine_file.shapes.ring import Ring
from collio.machine_file.shapes.shape import Shape
from collio.machine_file.shapes.switch import Switch
from collio.machine_file.shapes.torus import Torus
from collio.machine_file.shapes.tree import Tree

SHAPES: dict[str, type[Shape]] = {
    "switch": Switch,
    "tree": Tree,
    "fat-tree": FatTree,
    "ring": Ring,
    "torus": Torus,
    "dragonfly": Dragonfly,
    "graph": Custom,
}
