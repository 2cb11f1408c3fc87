"""`collio plan`: policies compared on a modelled machine, without MPI. The program `collio_plan` plans; this
is its command line."""
