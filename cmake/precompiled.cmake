# A small file takes most of its time for the headers of the standard library. A target parses those that its files have
# in common once, unless compilers are started through a launcher: a cache of compiled files serves better, and hardly
# any knows what such a header holds. Files include what they need all the same, which builds with a launcher show.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
endif()
option(STIEFEL_PRECOMPILE "Parse the headers of the standard library once a target" ${precompile})

set(STIEFEL_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <limits> <memory> <optional> <span> <string>
    <string_view> <type_traits> <utility> <vector>)

# stiefel_precompile(target headers...): the common ones and those named, for all its files in C++ but those that are
# compiled for another instruction set.
# stiefel_precompile(target FROM other): what another target, compiled with the same flags, has parsed.
function(stiefel_precompile target)
  if(NOT STIEFEL_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL "FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${STIEFEL_COMMON_HEADERS} ${ARGN})
  endif()
  # GCC does not know of precompiled headers that they are the system's, and shows what it thinks of std::string's inside.
  set(inside array-bounds restrict stringop-overflow stringop-overread)
  list(TRANSFORM inside PREPEND -Wno-)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${inside}>")
endfunction()
