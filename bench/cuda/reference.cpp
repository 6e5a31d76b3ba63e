#include "bench/cuda/reference.hpp"

#include "stiefel/core/cuda/check.hpp"
#include "stiefel/core/timing.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/vector_operations.hpp"

#include <cublas_v2.h>
#include <cusparse.h>

#include <cstring>
#include <type_traits>

namespace stiefel::bench {

namespace {

void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw Error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}

void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw Error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

template <class T>
constexpr cudaDataType type_of = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;

template <class T>
T* writable(const T* p) {
    return const_cast<T*>(p);
}

/// The descriptor of our CSR arrays, which it shares.
template <class T>
cusparseSpMatDescr_t describe_csr(const DeviceCsr<T>& csr) {
    cusparseSpMatDescr_t a = nullptr;
    csr.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        const auto offsets = sizeof(Offset) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
        check(cusparseCreateCsr(&a, csr.n_rows, csr.n_cols, csr.nnz(), writable(row_ptr), writable(csr.col_idx.data()),
                                writable(csr.values.data()), offsets, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                type_of<T>));
    });
    return a;
}

}  // namespace

struct CusparseSpmv::Handles {
    Cuda& backend;
    cusparseHandle_t handle = nullptr;
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
    cudaDataType type = CUDA_R_64F;
    DeviceVector<char> buffer = {};
    DeviceVector<Index> sell_offsets = {}, sell_columns = {};
    double one[2] = {}, zero[2] = {};

    void multiply() {
        check(
            cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, a, x, zero, y, type, algorithm, buffer.data()));
    }
};

const char* CusparseSpmv::name(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::csr1:
            return "cusparse csr alg1";
        case Algorithm::csr2:
            return "cusparse csr alg2";
        case Algorithm::sell:
            return "cusparse sell";
    }
    return "";
}

template <class T>
CusparseSpmv::CusparseSpmv(Cuda& backend, Algorithm algorithm, const DeviceCsr<T>& csr, const DeviceSell<T>& sell,
                           const DeviceVector<T>& x, DeviceVector<T>& y)
    : handles_(new Handles{.backend = backend}) {
    Handles& h = *handles_;
    h.type = type_of<T>;
    const T one = 1;
    std::memcpy(h.one, &one, sizeof one);
    check(cusparseCreate(&h.handle));
    check(cusparseSetStream(h.handle, backend.stream()));
    check(cusparseCreateDnVec(&h.x, x.size(), writable(x.data()), h.type));
    check(cusparseCreateDnVec(&h.y, y.size(), y.data(), h.type));
    if (algorithm == Algorithm::sell) {
        // cuSPARSE wants 32-bit slice offsets and -1 as the column of padding.
        HostVector<Size> wide(sell.slice_ptr.size());
        download(backend, sell.slice_ptr, wide);
        HostVector<Index> narrow(wide.size());
        for (Size i = 0; i < wide.size(); ++i) narrow[i] = static_cast<Index>(wide[i]);
        h.sell_offsets = DeviceVector<Index>(backend, narrow.size());
        upload(backend, narrow, h.sell_offsets);
        HostVector<Index> columns(sell.col_idx.size()), lengths(sell.row_length.size());
        download(backend, sell.col_idx, columns);
        download(backend, sell.row_length, lengths);
        for (Size slot = 0; slot < lengths.size(); ++slot) {
            const Size slice = slot / sell.slice_height;
            for (Size k = wide[slice] + slot % sell.slice_height + Size{lengths[slot]} * sell.slice_height;
                 k < wide[slice + 1]; k += sell.slice_height) {
                columns[k] = -1;
            }
        }
        h.sell_columns = DeviceVector<Index>(backend, columns.size());
        upload(backend, columns, h.sell_columns);
        backend.synchronize();
        check(cusparseCreateSlicedEll(&h.a, sell.n_rows, sell.n_cols, sell.nnz(), sell.values.size(), sell.slice_height,
                                      h.sell_offsets.data(), h.sell_columns.data(), writable(sell.values.data()),
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, h.type));
        h.algorithm = CUSPARSE_SPMV_SELL_ALG1;
    } else {
        h.a = describe_csr(csr);
        h.algorithm = algorithm == Algorithm::csr1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
    }
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(h.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, h.one, h.a, h.x, h.zero, h.y, h.type,
                                  h.algorithm, &bytes));
    h.buffer = DeviceVector<char>(backend, static_cast<Size>(bytes) + 16);
    if (algorithm != Algorithm::sell) {
        check(cusparseSpMV_preprocess(h.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, h.one, h.a, h.x, h.zero, h.y, h.type,
                                      h.algorithm, h.buffer.data()));
    }
}

CusparseSpmv::~CusparseSpmv() {
    cusparseDestroySpMat(handles_->a);
    cusparseDestroyDnVec(handles_->x);
    cusparseDestroyDnVec(handles_->y);
    cusparseDestroy(handles_->handle);
}

void CusparseSpmv::run() {
    handles_->multiply();
}

struct CusparseSpmm::Handles {
    cusparseHandle_t handle = nullptr;
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnMatDescr_t x = nullptr, y = nullptr;
    cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_ALG_DEFAULT;
    cudaDataType type = CUDA_R_64F;
    DeviceVector<char> buffer = {};
    double one[2] = {}, zero[2] = {};

    ~Handles() {
        cusparseDestroySpMat(a);
        cusparseDestroyDnMat(x);
        cusparseDestroyDnMat(y);
        cusparseDestroy(handle);
    }
};

const char* CusparseSpmm::name(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::standard:
            return "cusparse default";
        case Algorithm::csr1:
            return "cusparse csr alg1";
        case Algorithm::csr2:
            return "cusparse csr alg2";
        case Algorithm::csr3:
            return "cusparse csr alg3";
    }
    return "";
}

template <class T>
CusparseSpmm::CusparseSpmm(Cuda& backend, Algorithm algorithm, const DeviceCsr<T>& csr, const DeviceVector<T>& x,
                           DeviceVector<T>& y, Index k)
    : handles_(new Handles) {
    Handles& h = *handles_;
    h.type = type_of<T>;
    const T one = 1;
    std::memcpy(h.one, &one, sizeof one);
    constexpr cusparseSpMMAlg_t algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1,
                                                CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};
    h.algorithm = algorithms[static_cast<int>(algorithm)];
    check(cusparseCreate(&h.handle));
    check(cusparseSetStream(h.handle, backend.stream()));
    check(cusparseCreateDnMat(&h.x, csr.n_cols, k, k, writable(x.data()), h.type, CUSPARSE_ORDER_ROW));
    check(cusparseCreateDnMat(&h.y, csr.n_rows, k, k, y.data(), h.type, CUSPARSE_ORDER_ROW));
    h.a = describe_csr(csr);
    std::size_t bytes = 0;
    check(cusparseSpMM_bufferSize(h.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, h.one,
                                  h.a, h.x, h.zero, h.y, h.type, h.algorithm, &bytes));
    h.buffer = DeviceVector<char>(backend, static_cast<Size>(bytes) + 16);
    check(cusparseSpMM_preprocess(h.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, h.one,
                                  h.a, h.x, h.zero, h.y, h.type, h.algorithm, h.buffer.data()));
    run();
    backend.synchronize();
}

CusparseSpmm::~CusparseSpmm() = default;

void CusparseSpmm::run() {
    Handles& h = *handles_;
    check(cusparseSpMM(h.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, h.one, h.a, h.x,
                       h.zero, h.y, h.type, h.algorithm, h.buffer.data()));
}

template <class T>
double cusparse_cg_seconds(Cuda& backend, const DeviceCsr<T>& csr, const DeviceVector<T>& b, int iterations) {
    static_assert(std::is_same_v<T, double>, "the reference is timed in double");
    const Size n = b.size();
    DeviceVector<T> x(backend, n), r(backend, n), p(backend, n), q(backend, n);
    fill(backend, T{0}, x);
    copy(backend, b, r);
    copy(backend, b, p);
    CusparseSpmv spmv(backend, CusparseSpmv::Algorithm::csr1, csr, DeviceSell<T>{}, p, q);
    cublasHandle_t blas = nullptr;
    check(cublasCreate(&blas));
    check(cublasSetStream(blas, backend.stream()));
    const int size = static_cast<int>(n);
    const T one = 1;
    T rho = 0;
    check(cublasDdot(blas, size, r.data(), 1, r.data(), 1, &rho));
    Stopwatch watch;
    for (int i = -3; i < iterations; ++i) {
        if (i == 0) {
            backend.synchronize();
            watch.restart();
        }
        T curvature = 0, next = 0;
        spmv.run();
        check(cublasDdot(blas, size, p.data(), 1, q.data(), 1, &curvature));
        const T alpha = rho / curvature, minus_alpha = -alpha;
        check(cublasDaxpy(blas, size, &alpha, p.data(), 1, x.data(), 1));
        check(cublasDaxpy(blas, size, &minus_alpha, q.data(), 1, r.data(), 1));
        check(cublasDdot(blas, size, r.data(), 1, r.data(), 1, &next));
        const T beta = next / rho;
        rho = next;
        check(cublasDscal(blas, size, &beta, p.data(), 1));
        check(cublasDaxpy(blas, size, &one, r.data(), 1, p.data(), 1));
    }
    backend.synchronize();
    const double seconds = watch.seconds() / iterations;
    cublasDestroy(blas);
    return seconds;
}

template CusparseSpmv::CusparseSpmv(Cuda&, Algorithm, const DeviceCsr<double>&, const DeviceSell<double>&,
                                    const DeviceVector<double>&, DeviceVector<double>&);
template CusparseSpmv::CusparseSpmv(Cuda&, Algorithm, const DeviceCsr<float>&, const DeviceSell<float>&,
                                    const DeviceVector<float>&, DeviceVector<float>&);
template CusparseSpmm::CusparseSpmm(Cuda&, Algorithm, const DeviceCsr<double>&, const DeviceVector<double>&,
                                    DeviceVector<double>&, Index);
template CusparseSpmm::CusparseSpmm(Cuda&, Algorithm, const DeviceCsr<float>&, const DeviceVector<float>&,
                                    DeviceVector<float>&, Index);
template double cusparse_cg_seconds(Cuda&, const DeviceCsr<double>&, const DeviceVector<double>&, int);

}  // namespace stiefel::bench
