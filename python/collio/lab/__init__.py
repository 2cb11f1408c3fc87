"""`collio lab`: runs MPI programs on a made-up cluster: network namespaces as nodes, limited links, storage
targets."""
