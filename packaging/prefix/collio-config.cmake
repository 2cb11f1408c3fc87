# What another project may want of collio today. There is nothing to compile or to link with: collio is preloaded.
#   collio::collio        the command, as an imported executable
#   COLLIO_PRELOAD        the library to put into LD_PRELOAD of the ranks
#   COLLIO_ENGINES        folder of the engines, one for each family of MPI libraries
get_filename_component(COLLIO_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(COLLIO_ENGINES "${COLLIO_PREFIX}/lib/collio")
set(COLLIO_PRELOAD "${COLLIO_ENGINES}/libcollio_mpiio.so")
if(NOT TARGET collio::collio)
  add_executable(collio::collio IMPORTED)
  set_target_properties(collio::collio PROPERTIES IMPORTED_LOCATION "${COLLIO_PREFIX}/bin/collio")
endif()
