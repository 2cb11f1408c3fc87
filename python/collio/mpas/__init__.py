"""Decompositions of an ocean model's hexagonal mesh, as E3SM's G case writes it: which rank writes which
elements.

:func:`generate` gives a `collio.e3sm.MapSet`; `collio.e3sm.write_binary` stores it for the measuring
programs.
"""

from .generate import generate
from .mesh import Mesh, make_mesh

__all__ = ["Mesh", "generate", "make_mesh"]
