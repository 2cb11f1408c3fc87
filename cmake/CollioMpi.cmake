# The MPI of this build tree.
#   MPI::MPI_C, MPI::MPI_Fortran   for programs (benchmarks, tests), which link with MPI
#   collio_mpi_headers             for collio's libraries, which see mpi.h but never link with MPI
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS C)
if(COLLIO_FORTRAN)
  find_package(MPI COMPONENTS Fortran)
  if(NOT MPI_Fortran_FOUND)
    set(COLLIO_FORTRAN OFF)
  endif()
endif()
find_package(Threads REQUIRED)

add_library(collio_mpi_headers INTERFACE)
target_include_directories(collio_mpi_headers SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
target_compile_definitions(collio_mpi_headers INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
set_property(TARGET MPI::MPI_C APPEND PROPERTY
  INTERFACE_COMPILE_DEFINITIONS OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

# Family, for the differences between launchers: "openmpi", or "mpich" for MPICH and all its kin.
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version
  OUTPUT_VARIABLE collio_launcher_says ERROR_VARIABLE collio_launcher_says_more)
if("${collio_launcher_says}${collio_launcher_says_more}" MATCHES "Open ?(MPI|RTE)|PRRTE|prterun")
  set(COLLIO_MPI_FAMILY openmpi)
else()
  set(COLLIO_MPI_FAMILY mpich)
endif()
if(NOT COLLIO_MPI_ID)
  set(COLLIO_MPI_ID ${COLLIO_MPI_FAMILY})
endif()
message(STATUS "MPI: ${COLLIO_MPI_ID} (${COLLIO_MPI_FAMILY}), ${MPI_C_COMPILER}")
