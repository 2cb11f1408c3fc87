collio placeholder 1 0123456789abcdef
folder plain.nc.collio
collio keeps the bytes of this file in several subfiles; the manifest in the folder above says where.
Programs under `collio run` read and write them as this file. `collio join FILE` makes it one file again.
