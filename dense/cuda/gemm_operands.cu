#include "stiefel/dense/cuda/gemm_operands.hpp"
#include "stiefel/dense/cuda/transpose_rungs.hpp"

#include <algorithm>
#include <cstdint>

namespace stiefel::cuda {

namespace {

template <class T>
bool in_chunks(const T* data, Size ld) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && ld % Chunk<T>::size == 0;
}

}  // namespace

template <class T>
GemmTask<T> gemm_task(const GemmArguments<T>& g) {
    GemmTask<T> task;
    task.m = g.m;
    task.n = g.n;
    task.k = g.k;
    task.alpha = g.alpha;
    task.beta = g.beta;
    task.c = g.c;
    task.ldc = g.ldc;
    task.c_in_chunks = in_chunks(g.c, g.ldc);
    return task;
}

template <class T>
GemmOperands<T>::GemmOperands(Cuda& backend, const GemmArguments<T>& g) : task_(gemm_task(g)) {
    place(backend, g.a, g.m, g.k, a_, task_.a, task_.lda);
    place(backend, g.b, g.k, g.n, b_, task_.b, task_.ldb);
}

template <class T>
void GemmOperands<T>::place(Cuda& backend, const StridedMatrix<T>& from, Index n_rows, Index n_cols,
                            DeviceVector<T>& copy, const T*& data, Size& ld) {
    // A single row may have any stride; that of a column read as a row is 1.
    const Size row_stride = n_rows == 1 ? std::max(from.row_stride, Size{n_cols}) : from.row_stride;
    if (from.col_stride == 1 && in_chunks(from.data, row_stride)) {
        data = from.data;
        ld = row_stride;
        return;
    }
    ld = (Size{n_cols} + Chunk<T>::size - 1) / Chunk<T>::size * Chunk<T>::size;
    copy = DeviceVector<T>(backend, n_rows * ld);
    data = copy.data();
    if (n_rows == 0 || n_cols == 0) return;
    constexpr auto bytes = [](Size n) { return static_cast<std::size_t>(n) * sizeof(T); };
    if (ld > n_cols) {
        // No product uses what fills up the last chunks of rows, but the instructions that copy chunks may touch it.
        check_cuda(cudaMemset2DAsync(copy.data() + n_cols, bytes(ld), 0, bytes(ld - n_cols),
                                     static_cast<std::size_t>(n_rows), backend.stream()),
                   "filling up an operand of gemm");
    }
    if (from.col_stride == 1) {
        check_cuda(cudaMemcpy2DAsync(copy.data(), bytes(ld), from.data, bytes(row_stride), bytes(n_cols),
                                     static_cast<std::size_t>(n_rows), cudaMemcpyDeviceToDevice, backend.stream()),
                   "aligning an operand of gemm");
    } else {
        transpose_tuned<T>(backend, {from.data, n_cols, n_rows, from.col_stride}, {copy.data(), n_rows, n_cols, ld});
    }
}

template GemmTask<double> gemm_task(const GemmArguments<double>&);
template GemmTask<float> gemm_task(const GemmArguments<float>&);
template class GemmOperands<double>;
template class GemmOperands<float>;

}  // namespace stiefel::cuda
