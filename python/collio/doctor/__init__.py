"""`collio doctor`: runs a small job by the user's own launcher, and says what of collio works there.

job        the job: what is started, what its ranks print, collio's report of it
findings   what follows from that, line by line, with the remedy
pnetcdf    what of PnetCDF a program has
command    the command, and what people see
"""
