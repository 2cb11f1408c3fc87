# One floor of the house: an object library floor_<name> from all sources in and below its folder, on top of the
# floors it names. What a floor may include is checked by tests/package/test_floors.py.

# collio_add_floor(NAME [MPI] [EXCLUDE pattern] [ON floor...])
#   MPI      its sources include mpi.h
#   EXCLUDE  regular expression of file names that are built elsewhere
#   ON       the floors directly below
function(collio_add_floor name)
  cmake_parse_arguments(PARSE_ARGV 1 floor "MPI" "EXCLUDE" "ON")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp *.c)
  if(floor_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${floor_EXCLUDE}")
  endif()
  set(target floor_${name})
  if(NOT sources)  # only headers
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  else()
    add_library(${target} OBJECT ${sources})
    collio_library_options(${target})
    set(visibility PUBLIC)
    # A third of a file's build is the standard library. Not where names of MPI are replaced before all else.
    if(NOT floor_MPI)
      collio_uses_compiled_headers(${target})
      target_precompile_headers(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:<algorithm$<ANGLE-R>> $<$<COMPILE_LANGUAGE:CXX>:<map$<ANGLE-R>> $<$<COMPILE_LANGUAGE:CXX>:<memory$<ANGLE-R>>
        $<$<COMPILE_LANGUAGE:CXX>:<string$<ANGLE-R>> $<$<COMPILE_LANGUAGE:CXX>:<vector$<ANGLE-R>>)
    endif()
  endif()
  target_include_directories(${target} ${visibility} ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM floor_ON PREPEND floor_)
  target_link_libraries(${target} ${visibility} ${floor_ON} Threads::Threads)
  if(floor_MPI)
    target_link_libraries(${target} ${visibility} collio_mpi_headers)
    if(sources)
      target_compile_options(${target} PRIVATE -include ${PROJECT_SOURCE_DIR}/cmake/profiling_names.h)
    endif()
  endif()
endfunction()

# collio_floor_objects(RESULT floor...): the objects of these floors, for a library or program made of them.
function(collio_floor_objects result)
  set(objects)
  foreach(floor IN LISTS ARGN)
    get_target_property(kind floor_${floor} TYPE)
    if(kind STREQUAL OBJECT_LIBRARY)
      list(APPEND objects $<TARGET_OBJECTS:floor_${floor}>)
    endif()
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
