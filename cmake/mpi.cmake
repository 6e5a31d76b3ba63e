# Ranks by MPI: STIEFEL_MPI = AUTO (if there is one) | ON (there must be) | OFF. Sets STIEFEL_HAS_MPI.
set(STIEFEL_MPI AUTO CACHE STRING "Ranks by MPI: AUTO, ON or OFF")
set_property(CACHE STIEFEL_MPI PROPERTY STRINGS AUTO ON OFF)

set(STIEFEL_HAS_MPI OFF)
if(STIEFEL_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # what is left of the bindings for C++
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(STIEFEL_HAS_MPI ON)
    message(STATUS "MPI: ${MPI_CXX_VERSION}, ${MPIEXEC_EXECUTABLE}")
  elseif(STIEFEL_MPI STREQUAL "AUTO")
    message(STATUS "MPI: off (none was found)")
  else()
    message(FATAL_ERROR "STIEFEL_MPI=${STIEFEL_MPI}, but no MPI was found: install libopenmpi-dev or say where with -DMPI_HOME")
  endif()
endif()

# stiefel_mpi_sessions(name variable): what lets a test's launcher keep its files in a folder of its own. Of several at
# once one may fail to make that which those of a host share.
function(stiefel_mpi_sessions name variable)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/sessions/${name})
  file(MAKE_DIRECTORY ${folder})
  set(${variable} "OMPI_MCA_orte_tmpdir_base=${folder}" PARENT_SCOPE)
endfunction()

# stiefel_mpi_test(name n target): a program as n ranks, more than there are cores if need be, and as root where tests run
# so.
function(stiefel_mpi_test name n target)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} $<TARGET_FILE:${target}>)
  stiefel_mpi_sessions(${name} sessions)
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 PROCESSORS ${n} ENVIRONMENT
    "${sessions};OMP_WAIT_POLICY=passive;OMP_NUM_THREADS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1")
endfunction()
