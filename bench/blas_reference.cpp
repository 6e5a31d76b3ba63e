#include "bench/blas_reference.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace stiefel::bench {

namespace {

void* open_first(std::initializer_list<const char*> files) {
    for (const char* file : files) {
        if (void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

// The enumerations of CBLAS and cuBLAS, by their values.
constexpr int row_major = 101, no_transpose = 111;
constexpr int cublas_n = 0, cublas_t = 1;
constexpr int default_math = 0, tf32_math = 3;

template <class T>
using Cblas = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
template <class T>
using CublasGemm = int (*)(void*, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
template <class T>
using CublasGeam = int (*)(void*, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int);

}  // namespace

std::vector<HostBlas> HostBlas::all() {
    std::vector<HostBlas> found;
    const auto add = [&found](const char* name, void* library, const char* set_threads) {
        if (library == nullptr) return;
        HostBlas blas(name);
        blas.dgemm_ = dlsym(library, "cblas_dgemm");
        blas.sgemm_ = dlsym(library, "cblas_sgemm");
        blas.set_threads_ = dlsym(library, set_threads);
        if (blas.dgemm_ != nullptr && blas.sgemm_ != nullptr && blas.set_threads_ != nullptr) found.push_back(blas);
    };
    add("OpenBLAS",
        open_first(
            {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0", "libopenblas.so.0", "libopenblas.so"}),
        "openblas_set_num_threads");
    add("BLIS",
        open_first({"/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4",
                    "/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4", "libblis.so.4", "libblis.so"}),
        "bli_thread_set_num_threads");
    return found;
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

struct CudaBlas::Functions {
    void* handle = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*set_math)(void*, int) = nullptr;
    CublasGemm<double> dgemm = nullptr;
    CublasGemm<float> sgemm = nullptr;
    CublasGeam<double> dgeam = nullptr;
    CublasGeam<float> sgeam = nullptr;

    ~Functions() {
        if (handle != nullptr) destroy(handle);
    }
};

CudaBlas::CudaBlas(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}
CudaBlas::~CudaBlas() = default;

std::unique_ptr<CudaBlas> CudaBlas::open(const Cuda& backend) {
    void* const library = open_first({"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"});
    if (library == nullptr) return nullptr;
    auto f = std::make_unique<Functions>();
    const auto find = [library](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    int (*create)(void**) = nullptr;
    int (*set_stream)(void*, CUstream_st*) = nullptr;
    const bool complete = find(create, "cublasCreate_v2") && find(f->destroy, "cublasDestroy_v2") &&
                          find(set_stream, "cublasSetStream_v2") && find(f->set_math, "cublasSetMathMode") &&
                          find(f->dgemm, "cublasDgemm_v2") && find(f->sgemm, "cublasSgemm_v2") &&
                          find(f->dgeam, "cublasDgeam") && find(f->sgeam, "cublasSgeam");
    if (!complete || create(&f->handle) != 0 || set_stream(f->handle, backend.stream()) != 0) return nullptr;
    return std::unique_ptr<CudaBlas>(new CudaBlas(std::move(f)));
}

// cuBLAS is column-major: what it calls B A is our A B.
void CudaBlas::gemm(Index m, Index n, Index k, const double* a, const double* b, double* c, bool) const {
    const double one = 1, zero = 0;
    functions_->dgemm(functions_->handle, cublas_n, cublas_n, n, m, k, &one, b, n, a, k, &zero, c, n);
}
void CudaBlas::gemm(Index m, Index n, Index k, const float* a, const float* b, float* c, bool tf32) const {
    const float one = 1, zero = 0;
    functions_->set_math(functions_->handle, tf32 ? tf32_math : default_math);
    functions_->sgemm(functions_->handle, cublas_n, cublas_n, n, m, k, &one, b, n, a, k, &zero, c, n);
}

void CudaBlas::gram(Index n, Index k, const double* p, const double* q, double* g) const {
    const double one = 1, zero = 0;
    functions_->dgemm(functions_->handle, cublas_n, cublas_t, k, k, n, &one, q, k, p, k, &zero, g, k);
}

void CudaBlas::transpose(Index n, const double* a, double* b) const {
    const double one = 1, zero = 0;
    functions_->dgeam(functions_->handle, cublas_t, cublas_n, n, n, &one, a, n, &zero, a, n, b, n);
}
void CudaBlas::transpose(Index n, const float* a, float* b) const {
    const float one = 1, zero = 0;
    functions_->sgeam(functions_->handle, cublas_t, cublas_n, n, n, &one, a, n, &zero, a, n, b, n);
}

}  // namespace stiefel::bench
