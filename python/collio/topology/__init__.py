"""Networks and nodes as other programs describe them: Slurm, ibnetdiscover, hwloc; and as they are measured.

`load(path)` reads any of them, and machine files, into the graph that the engine reads;
docs/how-to/topology.md.
"""

from collio.topology.load import FORMATS, Found, detect, load
from collio.topology.options import Options

__all__ = ["FORMATS", "Found", "Options", "detect", "load"]
