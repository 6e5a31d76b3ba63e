#include "bench/cuda/spsv_reference.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/timing.hpp"

#include <cusparse.h>

#include <cstring>
#include <string>
#include <type_traits>

namespace stiefel::bench {

namespace {

void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw Error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}

}  // namespace

struct CusparseSpsv::Handles {
    cusparseOperation_t operation;
    cudaDataType type;
    double one[2] = {};  // of either type
    cusparseHandle_t handle = nullptr;
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    cusparseSpSVDescr_t solve = nullptr;
    DeviceVector<char> buffer = {};
    double analysis_seconds = 0;
};

template <class T>
CusparseSpsv::CusparseSpsv(Cuda& backend, Triangle triangle, const DeviceCsr<T>& csr, const DeviceVector<T>& x,
                           DeviceVector<T>& y)
    : handles_(new Handles{.operation = triangle == Triangle::transposed_lower ? CUSPARSE_OPERATION_TRANSPOSE
                                                                               : CUSPARSE_OPERATION_NON_TRANSPOSE,
                           .type = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F}) {
    Handles& h = *handles_;
    const T one = 1;
    std::memcpy(h.one, &one, sizeof one);
    check(cusparseCreate(&h.handle));
    check(cusparseSetStream(h.handle, backend.stream()));
    csr.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        check(cusparseCreateCsr(&h.a, csr.n_rows, csr.n_cols, csr.nnz(), const_cast<Offset*>(row_ptr),
                                const_cast<Index*>(csr.col_idx.data()), const_cast<T*>(csr.values.data()),
                                sizeof(Offset) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, h.type));
    });
    cusparseFillMode_t fill = triangle == Triangle::upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(cusparseSpMatSetAttribute(h.a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    check(cusparseSpMatSetAttribute(h.a, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
    check(cusparseCreateDnVec(&h.x, x.size(), const_cast<T*>(x.data()), h.type));
    check(cusparseCreateDnVec(&h.y, y.size(), y.data(), h.type));
    check(cusparseSpSV_createDescr(&h.solve));
    backend.synchronize();
    const Stopwatch watch;
    std::size_t bytes = 0;
    check(cusparseSpSV_bufferSize(h.handle, h.operation, h.one, h.a, h.x, h.y, h.type, CUSPARSE_SPSV_ALG_DEFAULT,
                                  h.solve, &bytes));
    h.buffer = DeviceVector<char>(backend, static_cast<Size>(bytes) + 16);
    check(cusparseSpSV_analysis(h.handle, h.operation, h.one, h.a, h.x, h.y, h.type, CUSPARSE_SPSV_ALG_DEFAULT, h.solve,
                                h.buffer.data()));
    backend.synchronize();
    h.analysis_seconds = watch.seconds();
}

CusparseSpsv::~CusparseSpsv() {
    cusparseSpSV_destroyDescr(handles_->solve);
    cusparseDestroyDnVec(handles_->x);
    cusparseDestroyDnVec(handles_->y);
    cusparseDestroySpMat(handles_->a);
    cusparseDestroy(handles_->handle);
}

void CusparseSpsv::run() {
    Handles& h = *handles_;
    check(cusparseSpSV_solve(h.handle, h.operation, h.one, h.a, h.x, h.y, h.type, CUSPARSE_SPSV_ALG_DEFAULT, h.solve));
}

double CusparseSpsv::analysis_seconds() const {
    return handles_->analysis_seconds;
}

Size CusparseSpsv::buffer_bytes() const {
    return handles_->buffer.bytes();
}

template CusparseSpsv::CusparseSpsv(Cuda&, Triangle, const DeviceCsr<double>&, const DeviceVector<double>&,
                                    DeviceVector<double>&);
template CusparseSpsv::CusparseSpsv(Cuda&, Triangle, const DeviceCsr<float>&, const DeviceVector<float>&,
                                    DeviceVector<float>&);

}  // namespace stiefel::bench
