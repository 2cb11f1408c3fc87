"""Files whose bytes collio keeps in several subfiles (src/storage/subfiles): join, split and check them
without MPI."""
