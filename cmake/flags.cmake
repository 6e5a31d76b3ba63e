# Flags of our own targets; never exported to those who link the library.
add_library(stiefel_flags INTERFACE)
target_compile_options(stiefel_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow>)
# Registers of 64 bytes go into and out of functions that are always inlined: how they would be handed over, which GCC
# warns of where the processor has none so wide, is nobody's affair.
target_compile_options(stiefel_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-psabi>)
if(STIEFEL_WERROR)
  target_compile_options(stiefel_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(STIEFEL_NATIVE)
  target_compile_options(stiefel_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
endif()
if(STIEFEL_SANITIZE)
  # A check beside every access makes long functions (sums in registers, without loops) several times as long, and some
  # files take minutes. So where accesses are many the checks are calls, -O1 does not move them about, and reports name
  # lines without describing variables.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined> $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANGUAGE:CXX>:-g1>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param asan-instrumentation-with-call-threshold=500>")
  endif()
  add_link_options(-fsanitize=address,undefined)
endif()
if(STIEFEL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -g)
  add_link_options(-fsanitize=address,undefined)
endif()
