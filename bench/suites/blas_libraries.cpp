#include "bench/suites/blas_libraries.hpp"

#include "bench/blas_reference.hpp"
#include "bench/build_info.hpp"

namespace stiefel::bench {

Libraries blas_libraries([[maybe_unused]] const SuiteOptions& options) {
    Libraries libraries{{"OpenBLAS", std::nullopt}, {"BLIS", std::nullopt}};
    for (const HostBlas& blas : HostBlas::all()) libraries[blas.name()] = blas.version();
#ifdef STIEFEL_HAS_CUDA
    if (options.backends.cuda) {
        const bool is_there = CudaBlas::open(*options.backends.cuda) != nullptr;
        libraries["cuBLAS"] = is_there ? std::optional("of CUDA " + build_cuda()) : std::nullopt;
    }
#endif
    return libraries;
}

}  // namespace stiefel::bench
