# stiefel_instruction_sets(folder): its avx2.cpp and avx512.cpp are compiled for the set that they are called after,
# whatever the rest is compiled for; which is used is chosen at run time, by what the processor has. They are optimised
# in every configuration: what they use of the standard library is inlined then, and no copy of it left for others.
# baseline.cpp is never united with others, which would take the kernels of all sets from what it includes.
function(stiefel_instruction_sets folder)
  set_source_files_properties(${folder}baseline.cpp TARGET_DIRECTORY stiefel PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
  endif()
  set(always $<$<CONFIG:Debug>:-O2> -mfma)
  set_source_files_properties(${folder}avx2.cpp TARGET_DIRECTORY stiefel PROPERTIES COMPILE_OPTIONS "${always};-mavx2" SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${folder}avx512.cpp TARGET_DIRECTORY stiefel PROPERTIES COMPILE_OPTIONS "${always};-mavx512f" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
