#pragma once

#include <string>

namespace stiefel::bench {

/// What a timing must say of where it comes from.

std::string build_commit();    ///< of the sources when the program was built; "+" behind it if they were changed
std::string build_compiler();  ///< "GNU 12.2.0"
std::string build_cuda();      ///< version of CUDA's compiler, "13.0.48"; empty in a build without
std::string build_flags();
std::string processor_name();  ///< as the operating system calls it

}  // namespace stiefel::bench
