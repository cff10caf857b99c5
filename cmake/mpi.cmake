# Finds MPI, of which the C API is used and nothing else: the target MPI::MPI_C, or none.
#
# Open MPI is taken where there are several, whatever the alternative `mpi` of the system points to.
find_program(TRIREME_MPICC NAMES mpicc.openmpi DOC "The compiler wrapper of the MPI to use")
mark_as_advanced(TRIREME_MPICC)
if(TRIREME_MPICC AND NOT MPI_C_COMPILER)
  set(MPI_C_COMPILER ${TRIREME_MPICC} CACHE FILEPATH "The compiler wrapper of the MPI to use")
endif()
enable_language(C)  # without it CMake does not look for MPI's C API
find_package(MPI COMPONENTS C)
if(TARGET MPI::MPI_C)
  message(STATUS "The MPI wire is built with ${MPI_C_COMPILER}")
else()
  message(STATUS "No MPI found: this build does without the wire `mpi` (Debian: libopenmpi-dev)")
endif()
