# Tests that run under mpiexec.
include(ProcessorCount)
ProcessorCount(COLLIO_CORES)
option(COLLIO_SANITIZE_LEAKS "Look for leaks under mpiexec too: LeakSanitizer may break down among an MPI library's threads" OFF)
option(COLLIO_LONG_TESTS "All rank counts and variants of the tests, not those alone that a short run has" OFF)

# collio_add_mpi_test(NAME name TARGET target RANKS n... [TIMEOUT seconds] [PRELOAD] [LONG] [ENV k=v...] [ARGS ...]
#                     [COMMAND program...] [LABELS ...])
# registers for every n the test <mpi-id>.<name>.<n>: `mpiexec -n n ... target ARGS`.
#   COMMAND  instead of TARGET: any command line (an interpreter and its script)
#   PRELOAD  the ranks, not the launcher, get libcollio_mpiio.so
#   ENV      environment of launcher and ranks; TIMEOUT defaults to 120, and is four times as long with sanitizers
#   LONG     only with COLLIO_LONG_TESTS. Without it, of more than two numbers of ranks all but 2, 3 and 8 remain; of 4 and 7 on
#            one node Open MPI has 4 and other libraries 7, and on several nodes each library has 7, which fill them unevenly
# The working directory is a scratch folder of the build tree: files that a test writes go there.
function(collio_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "PRELOAD;LONG" "NAME;TARGET;TIMEOUT" "RANKS;ENV;ARGS;COMMAND;LABELS")
  list(LENGTH test_RANKS counts)
  if(NOT COLLIO_LONG_TESTS)
    if(test_LONG)
      return()
    endif()
    if(counts GREATER 2)
      list(REMOVE_ITEM test_RANKS 2 3 8)
    endif()
    if(4 IN_LIST test_RANKS AND 7 IN_LIST test_RANKS)
      set(other 4)
      if(COLLIO_MPI_FAMILY STREQUAL openmpi AND NOT test_ENV MATCHES COLLIO_RANKS_PER_NODE)
        set(other 7)
      endif()
      list(REMOVE_ITEM test_RANKS ${other})
    endif()
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  if(COLLIO_SANITIZE)
    math(EXPR test_TIMEOUT "4 * ${test_TIMEOUT}")
  endif()
  if(test_TARGET)
    set(test_COMMAND $<TARGET_FILE:${test_TARGET}>)
  endif()
  set(scratch ${PROJECT_BINARY_DIR}/scratch)
  file(MAKE_DIRECTORY ${scratch})
  foreach(ranks IN LISTS test_RANKS)
    collio_launch_command(launch ${ranks} "${test_PRELOAD}")
    set(full_name ${COLLIO_MPI_ID}.${test_NAME}.${ranks})
    add_test(NAME ${full_name} COMMAND ${launch} ${test_COMMAND} ${test_ARGS} WORKING_DIRECTORY ${scratch})
    collio_launch_environment(environment)
    set_tests_properties(${full_name} PROPERTIES
      TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 77 LABELS "mpi;${test_LABELS}" ENVIRONMENT "${environment};${test_ENV}")
    if(COLLIO_CORES LESS 16)  # ranks compete for cores already: never two MPI jobs at a time
      set_tests_properties(${full_name} PROPERTIES RESOURCE_LOCK mpi)
    else()
      set_tests_properties(${full_name} PROPERTIES PROCESSORS ${ranks})
    endif()
  endforeach()
endfunction()

# Sets `result` to the words before the program: mpiexec, its options, and `env` with the ranks' own variables.
function(collio_launch_command result ranks preload)
  set(command ${MPIEXEC_EXECUTABLE} -n ${ranks})
  set(libraries)
  if(preload)
    list(APPEND libraries ${PROJECT_BINARY_DIR}/lib/libcollio_mpiio.so)
  endif()
  if(COLLIO_MPI_FAMILY STREQUAL openmpi)
    list(APPEND command --oversubscribe)
  elseif(ranks GREATER 1 AND TARGET collio_yield)
    # MPICH polls without ever yielding: with more ranks than cores, of which a test may have fewer than the build, the others starve.
    list(APPEND libraries ${PROJECT_BINARY_DIR}/lib/libcollio_yield.so)
  endif()
  if(libraries)
    if(PROJECT_BINARY_DIR MATCHES " ")  # which would end an entry of LD_PRELOAD
      list(TRANSFORM libraries REPLACE ".*/" "")
      list(APPEND command env "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib:$ENV{LD_LIBRARY_PATH}")
    endif()
    collio_sanitizer_runtime(runtime)
    list(PREPEND libraries ${runtime})
    list(JOIN libraries ":" joined)
    list(APPEND command env LD_PRELOAD=${joined})
  endif()
  set(${result} ${command} PARENT_SCOPE)
endfunction()

# Sets `result` to the sanitizer's library, which wants to be loaded before anything else that uses it.
function(collio_sanitizer_runtime result)
  set(runtime)
  foreach(pair IN ITEMS address:libasan.so thread:libtsan.so)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 sanitizer)
    list(GET pair 1 name)
    if(COLLIO_SANITIZE MATCHES ${sanitizer})
      execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name}
        OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
  endforeach()
  set(${result} ${runtime} PARENT_SCOPE)
endfunction()

# Sets `result` to the environment under which launchers run anywhere: as root, in containers, crowded.
function(collio_launch_environment result)
  if(COLLIO_MPI_FAMILY STREQUAL openmpi)
    set(environment
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
      OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1)
  else()
    set(environment COLLIO_YIELD_NS=1000)
  endif()
  if(COLLIO_SANITIZE)
    set(suppressions ${PROJECT_SOURCE_DIR}/cmake/sanitizers)
    list(APPEND environment
      ASAN_OPTIONS=detect_leaks=$<BOOL:${COLLIO_SANITIZE_LEAKS}>:fast_unwind_on_malloc=0 LSAN_OPTIONS=suppressions=${suppressions}/leaks.supp:print_suppressions=0
      UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
      TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:suppressions=${suppressions}/threads.supp
      COLLIO_TEST_SLOWNESS=4
      UCX_MEM_EVENTS=n)  # UCX would take locks of ThreadSanitizer's in threads that have ended
  endif()
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()
