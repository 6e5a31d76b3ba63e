#include "stiefel/core/cuda/early/set_ups.cuh"
#include "stiefel/spmv/products/cuda/room_product.cuh"
#include "stiefel/spmv/products/cuda/two_passes.cuh"
#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <optional>
#include <utility>

// P' (A P) without counting columns before.

namespace stiefel {

namespace cuda {

namespace {

constexpr int columns_of_ap = 16, columns_of_result = 96, table_size = 128;
template <class T>
using Short = RoomyRows<T, columns_of_ap>;
template <class T>
using Result = RoomyRows<T, columns_of_result>;

/// Rows of P' B: entry k of row i of P' brings the row of B with the number of its column.
template <class T>
struct RestrictedRows : PatternBase<std::int32_t> {
    using value_type = T;
    using factor_type = T;

    Index n_rows;
    const std::int32_t* r_ptr;
    const Index* r_cols;
    const T* r_values;
    const Index* b_length;
    const Index* b_cols;
    const T* b_values;

    RestrictedRows(const CsrView<T>& r, const Short<T>& b)
        : n_rows(r.n_rows),
          r_ptr(r.row_ptr.narrow()),
          r_cols(r.col_idx),
          r_values(r.values),
          b_length(b.length.data()),
          b_cols(b.col_idx.data()),
          b_values(b.values.data()) {}

    __device__ std::int32_t begin(Index i) const { return r_ptr[i]; }
    __device__ std::int32_t end(Index i) const { return r_ptr[Size{i} + 1]; }
    __device__ Terms<std::int32_t> terms(Index, std::int32_t k) const {
        const Index j = r_cols[k];
        return {columns_of_ap * j, columns_of_ap * j + b_length[j]};
    }
    __device__ Index col(std::int32_t t) const { return b_cols[t]; }
    __device__ T factor(Index, std::int32_t k) const { return r_values[k]; }
    __device__ T product(T factor, std::int32_t t) const { return factor * b_values[t]; }
};

/// For n teams of so many in a block; more take turns.
int room_blocks(const Cuda& backend, Size n, Size in_block) {
    return static_cast<int>(
        std::clamp<Size>((n + in_block - 1) / in_block, 1, Size{backend.device().multiprocessors} * 64));
}

template <class T>
Short<T> short_product(Cuda& backend, const CsrView<T>& a, const CsrView<T>& p, unsigned* is_too_long) {
    Short<T> c(backend, a.n_rows);
    room_product_kernel<<<room_blocks(backend, a.n_rows, room_product_threads / warp_size), room_product_threads, 0,
                          backend.stream()>>>(a, p, RoomyRowsOut(c, is_too_long));
    check_cuda(cudaGetLastError(), "multiplying short rows");
    return c;
}

template <class T>
Result<T> restricted(Cuda& backend, const CsrView<T>& r, const Short<T>& b, unsigned* is_too_long) {
    constexpr int lanes = 8, teams = Team<lanes>::in_block;
    constexpr int bytes = teams * ShortRow<T>::bytes(table_size);
    constexpr auto kernel = room_rows_kernel<lanes, table_size, RestrictedRows<T>, T, columns_of_result>;
    Result<T> c(backend, r.n_rows);
    allow_shared(backend, kernel, bytes, "preparing to restrict short rows");
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100),
               "preparing to restrict short rows");
    kernel<<<room_blocks(backend, r.n_rows, teams), short_row_threads, bytes, backend.stream()>>>(
        RestrictedRows<T>(r, b), RoomyRowsOut(c, is_too_long));
    check_cuda(cudaGetLastError(), "restricting short rows");
    return c;
}

/// Nothing where the flag is set. Waits for the device.
template <class T>
std::optional<DeviceCsr<T>> closed_up(Cuda& backend, Index columns, Result<T>& rows,
                                      DeviceVector<unsigned>& is_too_long) {
    const Index n = static_cast<Index>(rows.length.size());
    const Offsets<Index> offsets(backend, rows.length);
    if (load(backend, is_too_long) != 0) return {};
    const Size nnz = load(backend, offsets.total());
    DeviceCsr<T> c;
    c.n_rows = n;
    c.n_cols = columns;
    c.row_ptr = offsets.row_offsets(backend, nnz);
    c.col_idx = DeviceVector<Index>(backend, nnz);
    c.values = DeviceVector<T>(backend, nnz);
    close_up_kernel<<<element_blocks(8 * Size{n}), element_threads, 0, backend.stream()>>>(
        n, RoomyRowsOut(rows, is_too_long.data()), OffsetsView(c.row_ptr), c.col_idx.data(), c.values.data());
    check_cuda(cudaGetLastError(), "closing up short rows");
    return c;
}

}  // namespace

}  // namespace cuda

template <class T>
DeviceCsr<T> short_galerkin_product(Cuda& backend, const DeviceCsr<T>& a, const DeviceCsr<T>& p,
                                    const DeviceCsr<T>& p_transposed) {
    using namespace cuda;
    require(a.n_cols == p.n_rows, "short_galerkin_product: A must have as many columns as P has rows");
    require(p_transposed.n_rows == p.n_cols && p_transposed.n_cols == a.n_rows,
            "short_galerkin_product: P' must have as many rows as P has columns, and as many columns as A has rows");
    const CsrView<T> of_a(a), of_p(p), of_r(p_transposed);
    const bool is_narrow =
        of_a.is_narrow() && of_p.is_narrow() && of_r.is_narrow() && Size{columns_of_ap} * a.n_rows < Size{1} << 31;
    if (is_narrow && a.n_rows > 0 && p.n_cols > 0) {
        DeviceVector<unsigned> is_too_long(backend, 1);
        backend.zero_bytes(is_too_long.data(), is_too_long.bytes());
        const Short<T> ap = short_product(backend, of_a, of_p, is_too_long.data());
        Result<T> rows = restricted(backend, of_r, ap, is_too_long.data());
        if (auto c = closed_up(backend, p.n_cols, rows, is_too_long)) return std::move(*c);
    }
    return spgemm(backend, p_transposed, spgemm(backend, a, p));
}

template DeviceCsr<double> short_galerkin_product(Cuda&, const DeviceCsr<double>&, const DeviceCsr<double>&,
                                                  const DeviceCsr<double>&);
template DeviceCsr<float> short_galerkin_product(Cuda&, const DeviceCsr<float>&, const DeviceCsr<float>&,
                                                 const DeviceCsr<float>&);

}  // namespace stiefel
