#pragma once

namespace stiefel {

// Names of what is compiled for one instruction set, so that no two files define the same.
struct Baseline {};  ///< what the whole build is compiled for
struct Avx2 {};
struct Avx512 {};

// Whether the processor that this runs on has an instruction set that some files are compiled for; to be asked by files
// that are compiled for any.

#if defined(__x86_64__)
inline bool has_avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
inline bool has_avx512() {
    return __builtin_cpu_supports("avx512f");
}
#else
inline bool has_avx2() {
    return false;
}
inline bool has_avx512() {
    return false;
}
#endif

}  // namespace stiefel
