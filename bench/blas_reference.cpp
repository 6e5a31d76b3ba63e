#include "bench/blas_reference.hpp"

#include "bench/open_library.hpp"

#include <utility>

namespace stiefel::bench {

namespace {

// The enumerations of CBLAS, by their values.
constexpr int row_major = 101, no_transpose = 111;

template <class T>
using Cblas = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
}  // namespace

std::vector<HostBlas> HostBlas::all() {
    std::vector<HostBlas> found;
    const auto add = [&found](const char* name, void* library, const char* set_threads, const char* describe) {
        if (library == nullptr) return;
        HostBlas blas(name);
        blas.dgemm_ = dlsym(library, "cblas_dgemm");
        blas.sgemm_ = dlsym(library, "cblas_sgemm");
        blas.set_threads_ = dlsym(library, set_threads);
        blas.describe_ = dlsym(library, describe);
        if (blas.dgemm_ != nullptr && blas.sgemm_ != nullptr && blas.set_threads_ != nullptr) found.push_back(blas);
    };
    add("OpenBLAS",
        open_first(
            {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0", "libopenblas.so.0", "libopenblas.so"}),
        "openblas_set_num_threads", "openblas_get_config");
    add("BLIS",
        open_first({"/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4",
                    "/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4", "libblis.so.4", "libblis.so"}),
        "bli_thread_set_num_threads", "bli_info_get_version_str");
    return found;
}

std::string HostBlas::version() const {
    if (describe_ == nullptr) return "unknown";
    const std::string text = reinterpret_cast<const char* (*)()>(describe_)();
    return text.substr(0, text.find(' ', text.find(' ') + 1));
}

void HostBlas::set_threads(int threads) const {
    // BLIS takes a 64-bit integer, OpenBLAS an int: on our processors both read the same register.
    reinterpret_cast<void (*)(std::int64_t)>(set_threads_)(threads);
}

void HostBlas::gemm(Index m, Index n, Index k, const double* a, const double* b, double* c) const {
    reinterpret_cast<Cblas<double>>(dgemm_)(row_major, no_transpose, no_transpose, m, n, k, 1, a, k, b, n, 0, c, n);
}
void HostBlas::gemm(Index m, Index n, Index k, const float* a, const float* b, float* c) const {
    reinterpret_cast<Cblas<float>>(sgemm_)(row_major, no_transpose, no_transpose, m, n, k, 1, a, k, b, n, 0, c, n);
}

}  // namespace stiefel::bench
