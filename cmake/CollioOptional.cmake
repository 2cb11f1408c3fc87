# Libraries that collio can do without, and at the end one that it needs. collio_optional carries those that were found and says so
# with COLLIO_HAVE_LIBURING; floors that want them link with it.
add_library(collio_optional INTERFACE)

# collio_optional_library(NAME HEADER LIBRARY)
function(collio_optional_library name header library)
  if(COLLIO_${name})
    find_path(COLLIO_${name}_INCLUDE ${header})
    if(COLLIO_MPI_HEADERS)  # a package has it inside
      find_library(COLLIO_${name}_LIBRARY NAMES lib${library}.a)
    else()
      find_library(COLLIO_${name}_LIBRARY ${library})
    endif()
    mark_as_advanced(COLLIO_${name}_INCLUDE COLLIO_${name}_LIBRARY)
  endif()
  if(COLLIO_${name} AND COLLIO_${name}_INCLUDE AND COLLIO_${name}_LIBRARY)
    target_include_directories(collio_optional SYSTEM INTERFACE ${COLLIO_${name}_INCLUDE})
    target_link_libraries(collio_optional INTERFACE ${COLLIO_${name}_LIBRARY})
    target_compile_definitions(collio_optional INTERFACE COLLIO_HAVE_${name}=1)
    message(STATUS "${library}: ${COLLIO_${name}_LIBRARY}")
  else()
    message(STATUS "${library}: not used")
  endif()
endfunction()

collio_optional_library(LIBURING liburing.h uring)

# collio_fuse: libfuse 3, for the programs that mount.
if(COLLIO_FUSE)
  find_path(COLLIO_FUSE_INCLUDE fuse_lowlevel.h PATH_SUFFIXES fuse3)
  find_library(COLLIO_FUSE_LIBRARY fuse3)
  mark_as_advanced(COLLIO_FUSE_INCLUDE COLLIO_FUSE_LIBRARY)
endif()
if(COLLIO_FUSE AND COLLIO_FUSE_INCLUDE AND COLLIO_FUSE_LIBRARY)
  include(CheckLibraryExists)
  check_library_exists(${COLLIO_FUSE_LIBRARY} fuse_loop_cfg_create "" COLLIO_FUSE_LOOP_CONFIG)  # libfuse 3.12
  add_library(collio_fuse INTERFACE)
  target_include_directories(collio_fuse SYSTEM INTERFACE ${COLLIO_FUSE_INCLUDE})
  target_compile_definitions(collio_fuse INTERFACE _FILE_OFFSET_BITS=64 FUSE_USE_VERSION=$<IF:$<BOOL:${COLLIO_FUSE_LOOP_CONFIG}>,312,35>)
  target_link_libraries(collio_fuse INTERFACE ${COLLIO_FUSE_LIBRARY})
  message(STATUS "libfuse3: ${COLLIO_FUSE_LIBRARY}")
else()
  message(STATUS "libfuse3: not used: no `collio mount`, no storage targets for the lab")
endif()

# nlohmann-json, of headers alone, is needed: machine files are read with it, the report and results of benchmarks written.
find_path(COLLIO_JSON_INCLUDE nlohmann/json.hpp)
mark_as_advanced(COLLIO_JSON_INCLUDE)
if(NOT COLLIO_JSON_INCLUDE)
  message(FATAL_ERROR "nlohmann/json.hpp was not found. Install nlohmann-json (Debian: nlohmann-json3-dev; Fedora: json-devel; conda, "
    "Homebrew: nlohmann-json or nlohmann_json), or say where it is: -DCOLLIO_JSON_INCLUDE=/path/to/include")
endif()
add_library(collio_json INTERFACE)
target_include_directories(collio_json SYSTEM INTERFACE ${COLLIO_JSON_INCLUDE})
message(STATUS "nlohmann-json: ${COLLIO_JSON_INCLUDE}")

if(COLLIO_UNIT_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(STATUS "GoogleTest: not found, no unit tests")
  endif()
endif()

# For collio_bench_policy, built like the unit tests once for all MPI libraries.
if(COLLIO_UNIT_TESTS AND NOT COLLIO_MPI_HEADERS)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "Google Benchmark: not found, no collio_bench_policy")
  endif()
endif()
