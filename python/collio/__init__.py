"""collio: a collective I/O engine for MPI programs."""

__version__ = "0.1.0"
