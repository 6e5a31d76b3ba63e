# An nvcc that is too old, or none, switches CUDA off and says so (AUTO), or stops (ON). The old one is a script that
# tells its version as nvcc does.
cmake_policy(VERSION 3.25)

# expect(mode nvcc succeeds text...): how configuring ends, and what it says, however the lines are broken.
function(expect mode nvcc succeeds)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
                          -D CMAKE_CXX_COMPILER=${COMPILER} -D STIEFEL_CUDA=${mode} -D STIEFEL_NVCC=${nvcc}
                          -D STIEFEL_CLI=OFF -D STIEFEL_TESTS=OFF -D STIEFEL_BENCH=OFF -D STIEFEL_EXAMPLES=OFF
                  RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(failed AND succeeds OR NOT failed AND NOT succeeds)
    message(FATAL_ERROR "STIEFEL_CUDA=${mode} with ${nvcc} ended with ${failed}:\n${output}")
  endif()
  foreach(text ${ARGN})
    string(FIND "${output}" "${text}" position)
    if(position EQUAL -1)
      message(FATAL_ERROR "STIEFEL_CUDA=${mode} with ${nvcc} does not say '${text}':\n${output}")
    endif()
  endforeach()
endfunction()

function(write_nvcc path version)
  file(WRITE ${path} "#!/bin/sh\necho 'Cuda compilation tools, release ${version}, V${version}.140'\n")
  file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
foreach(version 11.8 12.0 12.3)
  set(nvcc ${WORK_DIR}/nvcc-${version})
  write_nvcc(${nvcc} ${version})
  expect(AUTO ${nvcc} TRUE "CUDA backend: off (${nvcc} is of CUDA ${version}, and 12.4 or later is needed")
  expect(ON ${nvcc} FALSE "STIEFEL_CUDA=ON, but ${nvcc} is of CUDA ${version}")
endforeach()

file(WRITE ${WORK_DIR}/broken "#!/bin/sh\necho no driver\nexit 1\n")
file(CHMOD ${WORK_DIR}/broken PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
expect(AUTO ${WORK_DIR}/broken TRUE "CUDA backend: off (${WORK_DIR}/broken --version does not tell a version: no driver")
expect(OFF ${WORK_DIR}/broken TRUE "CUDA backend: off (as asked)")
