"""Machine files: clusters described in a page of TOML, for the lab that builds them and the planners that
think about them.

`load_machine("tree-oversubscribed")` or `load(path)` reads one, `expand` writes it out as a graph with
routes. The format is in docs/how-to/machine-files.md.
"""

from collio.machine_file.costs import COSTS, Costs, model_of, parse_cost
from collio.machine_file.describe import describe
from collio.machine_file.errors import MachineFileError
from collio.machine_file.expand import expand
from collio.machine_file.graph import Graph, Link, Node, Storage, Target, hops, route
from collio.machine_file.model import MachineFile
from collio.machine_file.presets import large_preset_names, load_machine, preset_names
from collio.machine_file.reader import load, parse

__all__ = [
    "COSTS",
    "Costs",
    "Graph",
    "Link",
    "MachineFile",
    "MachineFileError",
    "Node",
    "Storage",
    "Target",
    "describe",
    "expand",
    "hops",
    "large_preset_names",
    "load",
    "load_machine",
    "model_of",
    "parse",
    "parse_cost",
    "preset_names",
    "route",
]
