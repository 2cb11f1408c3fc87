# For a package: what is linked here runs with older C libraries too. Newer symbols are defined within, or bound to the version
# they had before. See older_glibc/.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(oldest GLIBC_2.2.5)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(oldest GLIBC_2.17)
else()
  message(STATUS "older C libraries: not known for ${CMAKE_SYSTEM_PROCESSOR}; the package needs one as new as this")
  return()
endif()

set(sources ${CMAKE_CURRENT_LIST_DIR}/older_glibc)
set(made ${CMAKE_CURRENT_BINARY_DIR}/older_glibc)
file(CONFIGURE OUTPUT older_glibc/oldest.map CONTENT "${oldest} { *; };\n")

function(collio_compile_older output)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -Wall -Werror -O2 -fPIC ${ARGN} -o ${made}/${output} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

collio_compile_older(definitions.o -c ${sources}/definitions.c)
collio_compile_older(stat.o -c ${sources}/stat.c)
collio_compile_older(start.o -c -DOLDEST_VERSION="${oldest}" ${sources}/start.c)
collio_compile_older(math.o -c -fno-builtin -DOLDEST_VERSION="${oldest}" ${sources}/math.c)
foreach(archive IN ITEMS math stat)
  execute_process(COMMAND ${CMAKE_AR} rcs ${made}/lib${archive}.a ${made}/${archive}.o COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(link_only)
foreach(library IN ITEMS libpthread.so.0 libdl.so.2 librt.so.1)
  string(REGEX MATCH "[a-z]+" name ${library})
  collio_compile_older(${library} -shared -nostdlib -fno-builtin -D${name} -Wl,-soname,${library},--version-script=${made}/oldest.map ${sources}/link_only.c)
  string(APPEND link_only " ${made}/${library}")
endforeach()

# Behind a target's own objects and libraries. The C++ runtime comes later still: it finds what it needs only in a library that is kept. From an
# archive comes what a target lacks: libcollio_view.so has its own stat().
set(CMAKE_C_STANDARD_LIBRARIES "${made}/definitions.o ${made}/libstat.a -Wl,--push-state,--as-needed${link_only} -Wl,--pop-state")
set(CMAKE_CXX_STANDARD_LIBRARIES "${made}/definitions.o ${made}/stat.o ${made}/libmath.a -Wl,--push-state,--no-as-needed${link_only} -Wl,--pop-state")
string(APPEND CMAKE_EXE_LINKER_FLAGS " ${made}/start.o -static-libgcc -static-libstdc++")
