-- For Lmod. It finds the prefix by its own place: prefix/share/modulefiles/collio/@VERSION@.lua.
help([[collio @VERSION@: collective I/O for MPI programs.

    collio run -- mpiexec -n 64 ./app

$COLLIO_PRELOAD is the library to preload where `collio run` cannot be used.]])
whatis("Name: collio")
whatis("Version: @VERSION@")
whatis("Description: a collective I/O engine for MPI programs")

local prefix = myFileName():match("^(.*)/share/modulefiles/")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
append_path("MANPATH", "", ":")  -- the system's own pages stay
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", prefix)
setenv("COLLIO_PRELOAD", pathJoin(prefix, "lib/collio/libcollio_mpiio.so"))
