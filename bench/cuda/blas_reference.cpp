#include "bench/blas_reference.hpp"

#include "bench/open_library.hpp"

#include <type_traits>
#include <utility>

namespace stiefel::bench {

namespace {

// The enumerations of cuBLAS, by their values.
constexpr int cublas_n = 0, cublas_t = 1;
constexpr int default_math = 0, tf32_math = 3;

template <class T>
using CublasGemm = int (*)(void*, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
template <class T>
using CublasGeam = int (*)(void*, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int);

}  // namespace

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
