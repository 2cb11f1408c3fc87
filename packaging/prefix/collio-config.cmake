#   collio::collio        the library, for C and C++: collio/collio.h, collio/collio.hpp. Link with MPI beside it
#   collio::fortran       the Fortran module collio, compiled by the project that uses it; only where Fortran is enabled first
#   collio::command       the command, as an imported executable
#   COLLIO_PRELOAD        the library to put into LD_PRELOAD of the ranks of unmodified programs
#   COLLIO_ENGINES        folder of the engines, one for each family of MPI libraries
get_filename_component(COLLIO_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(COLLIO_ENGINES "${COLLIO_PREFIX}/lib/collio")
set(COLLIO_PRELOAD "${COLLIO_ENGINES}/libcollio_mpiio.so")
if(NOT TARGET collio::command)
  add_executable(collio::command IMPORTED)
  set_target_properties(collio::command PROPERTIES IMPORTED_LOCATION "${COLLIO_PREFIX}/bin/collio")
endif()
if(NOT TARGET collio::collio)
  add_library(collio::collio SHARED IMPORTED)
  set_target_properties(collio::collio PROPERTIES
    IMPORTED_LOCATION "${COLLIO_ENGINES}/libcollio.so" IMPORTED_NO_SONAME OFF IMPORTED_SONAME libcollio.so
    INTERFACE_INCLUDE_DIRECTORIES "${COLLIO_PREFIX}/include")
endif()
get_property(collio_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT TARGET collio_fortran AND "Fortran" IN_LIST collio_languages)
  # Module files are the compiler's own.
  add_library(collio_fortran STATIC EXCLUDE_FROM_ALL "${COLLIO_PREFIX}/include/collio/collio.f90")
  set_target_properties(collio_fortran PROPERTIES
    Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/collio_modules" POSITION_INDEPENDENT_CODE ON)
  target_include_directories(collio_fortran PUBLIC "${CMAKE_CURRENT_BINARY_DIR}/collio_modules")
  target_link_libraries(collio_fortran PUBLIC collio::collio)
  add_library(collio::fortran ALIAS collio_fortran)
endif()
