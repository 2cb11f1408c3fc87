"""Arrays in files of netCDF and HDF5: collio.array, and what it is made of."""
