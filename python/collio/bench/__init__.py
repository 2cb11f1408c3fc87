"""`collio bench`: one pattern, several engines, measured in alternation, every byte checked.

patterns/    what is written and read: one small file per pattern
engines      who moves the bytes: collio, the MPI library's own I/O, the floor
launcher     one run: one mpiexec of the measuring program, one JSON line back
rounds       all runs, in rotating order
results      medians and ratios: the document and the table
"""
