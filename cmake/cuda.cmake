# The CUDA backend: STIEFEL_CUDA = AUTO (if there is an nvcc that will do) | ON (there must be) | OFF.
# Sets STIEFEL_HAS_CUDA. The runtime is linked statically and the driver is opened at run time, so the programs also run
# on machines that have neither; a shared library shares the runtime with the program that uses it.
set(STIEFEL_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
set_property(CACHE STIEFEL_CUDA PROPERTY STRINGS AUTO ON OFF)

set(STIEFEL_LEAST_CUDA 12.4)  # loops in graphs, which conditional nodes make

# stiefel_nvcc_fault(nvcc result): why this nvcc will not do, or nothing.
function(stiefel_nvcc_fault nvcc result)
  set(${result} "" PARENT_SCOPE)
  if(NOT nvcc)
    set(${result} "nvcc was not found: put it on the PATH or give -DSTIEFEL_NVCC=/path/to/nvcc" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE failed)
  if(failed OR NOT text MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${result} "${nvcc} --version does not tell a version: ${text}" PARENT_SCOPE)
  elseif(CMAKE_MATCH_1 VERSION_LESS STIEFEL_LEAST_CUDA)
    set(${result} "${nvcc} is of CUDA ${CMAKE_MATCH_1}, and ${STIEFEL_LEAST_CUDA} or later is needed: give a newer one with -DSTIEFEL_NVCC=/path/to/nvcc" PARENT_SCOPE)
  endif()
endfunction()

set(STIEFEL_HAS_CUDA OFF)
set(cuda_off "as asked")
if(STIEFEL_CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(STIEFEL_NVCC ${CMAKE_CUDA_COMPILER})
  endif()
  find_program(STIEFEL_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(STIEFEL_NVCC)
  stiefel_nvcc_fault("${STIEFEL_NVCC}" cuda_off)
  if(cuda_off STREQUAL "")
    set(STIEFEL_HAS_CUDA ON)
  elseif(NOT STIEFEL_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "STIEFEL_CUDA=${STIEFEL_CUDA}, but ${cuda_off}")
  endif()
endif()
if(NOT STIEFEL_HAS_CUDA)
  message(STATUS "CUDA backend: off (${cuda_off})")
  return()
endif()

# A device here: code for it alone. None: machine code for A100 and H100, and PTX for what comes later.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_device OUTPUT_QUIET ERROR_QUIET)
  if(no_device)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  else()
    set(CMAKE_CUDA_ARCHITECTURES native)
  endif()
endif()
if(NOT DEFINED CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${STIEFEL_NVCC})
endif()
enable_language(CUDA)
# CMake 3.25 does not know how nvcc 13 is asked for C++20, which CMAKE_CXX_STANDARD asks of CUDA code as well.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
find_package(CUDAToolkit REQUIRED)
message(STATUS "CUDA backend: ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")

target_compile_options(stiefel_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow>)
if(STIEFEL_WERROR)
  target_compile_options(stiefel_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()

if(BUILD_SHARED_LIBS)
  set(STIEFEL_CUDA_RUNTIME CUDA::cudart)
else()
  set(STIEFEL_CUDA_RUNTIME CUDA::cudart_static)
endif()

# stiefel_use_cuda(target): the target holds CUDA code or calls the CUDA runtime.
function(stiefel_use_cuda target)
  target_compile_definitions(${target} PUBLIC STIEFEL_HAS_CUDA)
  target_link_libraries(${target} PUBLIC ${STIEFEL_CUDA_RUNTIME})
endfunction()
