# Warnings, sanitizers and symbol visibility, the same for everything that collio compiles itself.

# Names of other files compiled at the same time are no concern of a file's.
if(COLLIO_UNITY)
  set(collio_shadow_warning -Wshadow=local)
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
else()
  set(collio_shadow_warning -Wshadow)
endif()

# collio_compile_options(TARGET): for libraries, programs and tests alike.
function(collio_compile_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-missing-field-initializers>
    $<$<COMPILE_LANGUAGE:C,CXX>:${collio_shadow_warning}> $<$<COMPILE_LANGUAGE:C,CXX>:-Wvla> $<$<COMPILE_LANGUAGE:C,CXX>:-Wpointer-arith>
    $<$<COMPILE_LANGUAGE:Fortran>:-Wno-compare-reals> $<$<COMPILE_LANGUAGE:Fortran>:-Wno-function-elimination>
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of its own std::string (GCC bug 105651).
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  if(COLLIO_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
  endif()
  if(COLLIO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${COLLIO_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${COLLIO_SANITIZE})
    if(COLLIO_SANITIZE MATCHES undefined)  # otherwise it only prints, and a test passes
      target_compile_options(${target} PRIVATE -fno-sanitize-recover=undefined)
    endif()
  endif()
endfunction()

# collio_uses_compiled_headers(TARGET): what comes of the standard library's own code, which GCC 12 no longer takes for a system's
# in a compiled header, is no warning.
function(collio_uses_compiled_headers target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>)
  endif()
endfunction()

# collio_library_options(TARGET): on top of that for everything under src/. Narrowing is a warning there,
# because a byte count that loses its upper half is the classic bug of I/O libraries.
function(collio_library_options target)
  collio_compile_options(${target})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# collio_preloadable(TARGET): a shared library that may be loaded into any process. It names no MPI
# library: MPI functions stay undefined until the program's own MPI provides them, when they are called.
function(collio_preloadable target)
  target_link_options(${target} PRIVATE -Wl,-z,lazy -Wl,--as-needed -Wl,--exclude-libs,ALL)
  if(COLLIO_STATIC_RUNTIME AND NOT COLLIO_SANITIZE)
    target_link_options(${target} PRIVATE -static-libgcc -static-libstdc++)
  endif()
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
endfunction()
