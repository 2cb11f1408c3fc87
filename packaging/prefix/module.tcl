#%Module1.0
## For Environment Modules. It finds the prefix by its own place: prefix/share/modulefiles/collio/@VERSION@.
proc ModulesHelp {} {
    puts stderr {collio @VERSION@: collective I/O for MPI programs.

    collio run -- mpiexec -n 64 ./app

$COLLIO_PRELOAD is the library to preload where `collio run` cannot be used.}
}
module-whatis "collio @VERSION@: a collective I/O engine for MPI programs"

set prefix [file normalize [file join [file dirname $ModulesCurrentModulefile] .. .. ..]]
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
append-path MANPATH {}  ;# the system's own pages stay
prepend-path PKG_CONFIG_PATH $prefix/lib/pkgconfig
prepend-path CMAKE_PREFIX_PATH $prefix
setenv COLLIO_PRELOAD $prefix/lib/collio/libcollio_mpiio.so
