# Fortran is needed only for the tests of Fortran programs. COLLIO_FORTRAN says whether there is one.
include(CheckLanguage)

set(COLLIO_FORTRAN OFF)
if(MPI_Fortran_COMPILER)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    set(COLLIO_FORTRAN ON)
  endif()
endif()
