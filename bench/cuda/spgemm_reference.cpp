#include "bench/cuda/spgemm_reference.hpp"

#include "stiefel/core/error.hpp"

#include <cusparse.h>

#include <string>
#include <utility>

namespace stiefel::bench {

namespace {

void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw Error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}

class Matrix {
public:
    explicit Matrix(const DeviceCsr<double>& a) {
        a.row_ptr.visit([&](const auto* row_ptr) {
            const auto type = sizeof(*row_ptr) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
            check(cusparseCreateConstCsr(&descriptor_, a.n_rows, a.n_cols, a.nnz(), row_ptr, a.col_idx.data(),
                                         a.values.data(), type, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                         CUDA_R_64F));
        });
    }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    ~Matrix() { cusparseDestroySpMat(descriptor_); }
    cusparseConstSpMatDescr_t get() const { return descriptor_; }

private:
    cusparseConstSpMatDescr_t descriptor_ = nullptr;
};

}  // namespace

struct CusparseSpgemm::Handles {
    Cuda& backend;
    cusparseSpGEMMAlg_t algorithm;
    cusparseHandle_t handle = nullptr;
};

const char* CusparseSpgemm::name(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::alg1:
            return "cusparse alg1";
        case Algorithm::alg2:
            return "cusparse alg2";
        case Algorithm::alg3:
            return "cusparse alg3";
    }
    return "";
}

CusparseSpgemm::CusparseSpgemm(Cuda& backend, Algorithm algorithm)
    : handles_(new Handles{.backend = backend,
                           .algorithm = algorithm == Algorithm::alg1   ? CUSPARSE_SPGEMM_ALG1
                                        : algorithm == Algorithm::alg2 ? CUSPARSE_SPGEMM_ALG2
                                                                       : CUSPARSE_SPGEMM_ALG3}) {
    check(cusparseCreate(&handles_->handle));
    check(cusparseSetStream(handles_->handle, backend.stream()));
}

CusparseSpgemm::~CusparseSpgemm() {
    cusparseDestroy(handles_->handle);
}

DeviceCsr<double> CusparseSpgemm::multiply(const DeviceCsr<double>& a, const DeviceCsr<double>& b) {
    Handles& h = *handles_;
    const Matrix left(a), right(b);
    const double one = 1, zero = 0;
    const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    DeviceCsr<double> c;
    c.n_rows = a.n_rows;
    c.n_cols = b.n_cols;
    DeviceVector<std::int32_t> offsets(h.backend, Size{c.n_rows} + 1);
    cusparseSpMatDescr_t result = nullptr;
    check(cusparseCreateCsr(&result, c.n_rows, c.n_cols, 0, offsets.data(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    cusparseSpGEMMDescr_t job = nullptr;
    check(cusparseSpGEMM_createDescr(&job));
    const auto in_two_calls = [&](auto&& call) {
        std::size_t bytes = 0;
        check(call(&bytes, nullptr));
        DeviceVector<char> room(h.backend, static_cast<Size>(bytes) + 16);
        check(call(&bytes, room.data()));
        return room;
    };
    const auto estimate = in_two_calls([&](std::size_t* bytes, void* room) {
        return cusparseSpGEMM_workEstimation(h.handle, none, none, &one, left.get(), right.get(), &zero, result,
                                             CUDA_R_64F, h.algorithm, job, bytes, room);
    });
    const auto compute = [&](std::size_t* bytes, void* room) {
        return cusparseSpGEMM_compute(h.handle, none, none, &one, left.get(), right.get(), &zero, result, CUDA_R_64F,
                                      h.algorithm, job, bytes, room);
    };
    DeviceVector<char> room;
    if (h.algorithm == CUSPARSE_SPGEMM_ALG1) {
        room = in_two_calls(compute);
    } else {
        std::size_t bytes = 0;
        in_two_calls([&](std::size_t* own, void* estimating) {
            return cusparseSpGEMM_estimateMemory(h.handle, none, none, &one, left.get(), right.get(), &zero, result,
                                                 CUDA_R_64F, h.algorithm, job, 1.0F, own, estimating, &bytes);
        });
        room = DeviceVector<char>(h.backend, static_cast<Size>(bytes) + 16);
        check(compute(&bytes, room.data()));
    }
    std::int64_t rows = 0, cols = 0, nnz = 0;
    check(cusparseSpMatGetSize(result, &rows, &cols, &nnz));
    c.col_idx = DeviceVector<Index>(h.backend, nnz);
    c.values = DeviceVector<double>(h.backend, nnz);
    check(cusparseCsrSetPointers(result, offsets.data(), c.col_idx.data(), c.values.data()));
    check(cusparseSpGEMM_copy(h.handle, none, none, &one, left.get(), right.get(), &zero, result, CUDA_R_64F,
                              h.algorithm, job));
    check(cusparseSpGEMM_destroyDescr(job));
    check(cusparseDestroySpMat(result));
    c.row_ptr = RowOffsets<DeviceMemory>(std::move(offsets));
    return c;
}

}  // namespace stiefel::bench
