"""`collio demo`: an atmosphere model's checkpoint, natively and under collio, on the machine at hand.

case       what is written: grid, variables, place
contest    the runs: native and collio in alternation, each reading the other's file
show       what people see
"""
