# One floor of the house: an object library floor_<name> from all sources in and below its folder, on top of the
# floors it names. What a floor may include is checked by tests/package/test_floors.py.

set(COLLIO_FLOORS_FROM OFF CACHE STRING "Another build tree of this checkout, with the same options: its floors without MPI are used")

# collio_add_floor(NAME [MPI] [EXCLUDE pattern] [ON floor...] [WITH library...])
#   MPI      its sources include mpi.h
#   EXCLUDE  regular expression of file names that are built elsewhere
#   ON       the floors directly below
#   WITH     libraries that its sources alone see
function(collio_add_floor name)
  cmake_parse_arguments(PARSE_ARGV 1 floor "MPI" "EXCLUDE" "ON;WITH")
  if(COLLIO_FLOORS_FROM AND NOT floor_MPI)
    collio_floor_from_elsewhere(${name} ${floor_ON})
    return()
  endif()
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
    collio_compile_standard_headers(${target} "${floor_MPI}")
    target_link_libraries(${target} PRIVATE ${floor_WITH})
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/floors/${name} CONTENT "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>\n")
  endif()
  target_include_directories(${target} ${visibility} ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM floor_ON PREPEND floor_)
  target_link_libraries(${target} ${visibility} ${floor_ON} Threads::Threads)
  if(floor_MPI)
    target_link_libraries(${target} ${visibility} collio_mpi_headers)
    if(sources)
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C>:SHELL:-include \"${PROJECT_SOURCE_DIR}/cmake/profiling_names.h\">")
    endif()
  endif()
endfunction()

# collio_floor_from_elsewhere(NAME floor...): the objects that the other tree has of it.
function(collio_floor_from_elsewhere name)
  set(list ${COLLIO_FLOORS_FROM}/floors/${name})
  if(NOT EXISTS ${list})
    message(FATAL_ERROR "COLLIO_FLOORS_FROM=${COLLIO_FLOORS_FROM}: there is no ${list}; allowed is a configured build tree of this checkout")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} objects)
  add_library(floor_${name} OBJECT IMPORTED GLOBAL)
  set_target_properties(floor_${name} PROPERTIES IMPORTED_OBJECTS "${objects}")
  target_include_directories(floor_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ARGN PREPEND floor_ OUTPUT_VARIABLE below)
  target_link_libraries(floor_${name} INTERFACE ${below} Threads::Threads)
  set_property(GLOBAL APPEND PROPERTY collio_floors_elsewhere floor_${name})
  set_property(GLOBAL APPEND PROPERTY collio_objects_elsewhere ${objects})
endfunction()

# collio_build_floors_elsewhere(): brings the other tree's floors up to date before anything is linked with them.
function(collio_build_floors_elsewhere)
  get_property(floors GLOBAL PROPERTY collio_floors_elsewhere)
  get_property(objects GLOBAL PROPERTY collio_objects_elsewhere)
  if(floors)
    add_custom_target(collio_floors_elsewhere
      COMMAND ${CMAKE_COMMAND} --build ${COLLIO_FLOORS_FROM} --target ${floors}
      BYPRODUCTS ${objects} VERBATIM)
  endif()
endfunction()

# collio_compile_standard_headers(TARGET MPI): half of a file's build is the standard library, so it is compiled once: for each floor
# without MPI, and for all with it. There the profiling names come before all else.
function(collio_compile_standard_headers target with_mpi)
  collio_uses_compiled_headers(${target})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]c$")
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  if(with_mpi AND TARGET floor_access AND NOT target STREQUAL floor_access)
    target_precompile_headers(${target} REUSE_FROM floor_access)
    return()
  endif()
  set(headers algorithm functional map memory optional span string vector)
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  if(with_mpi)
    list(PREPEND headers $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/profiling_names.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
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
