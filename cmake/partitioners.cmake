# Libraries that part graphs, for --partition of the program on ranks: PT-Scotch (Debian: libptscotch-dev) and METIS
# (libmetis-dev). What is not there is left out.

# stiefel_add_partitioner(NAME header libraries suffixes...): compiles mpi/<name>_partition.cpp into stiefel_mpi where
# header and all libraries are found.
function(stiefel_add_partitioner name header libraries)
  find_path(STIEFEL_${name}_INCLUDE ${header} PATH_SUFFIXES ${ARGN})
  mark_as_advanced(STIEFEL_${name}_INCLUDE)
  set(found)
  foreach(library ${libraries})
    find_library(STIEFEL_${name}_${library} ${library})
    mark_as_advanced(STIEFEL_${name}_${library})
    if(NOT STIEFEL_${name}_${library})
      return()
    endif()
    list(APPEND found ${STIEFEL_${name}_${library}})
  endforeach()
  if(NOT STIEFEL_${name}_INCLUDE)
    return()
  endif()
  string(TOLOWER ${name} file)
  target_sources(stiefel_mpi PRIVATE mpi/${file}_partition.cpp)
  target_compile_definitions(stiefel_mpi PRIVATE STIEFEL_HAS_${name})
  target_include_directories(stiefel_mpi SYSTEM PRIVATE ${STIEFEL_${name}_INCLUDE})
  target_link_libraries(stiefel_mpi PRIVATE ${found})
  message(STATUS "Partitions: ${header} of ${STIEFEL_${name}_INCLUDE}")
endfunction()
