# Finds MPI, of which only the C API is used: the target MPI::MPI_C, or none.
#
# If several are installed, Open MPI is used, regardless of the system's alternative `mpi`.
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
