#include "stiefel/spmv/openmp/kernels.hpp"
#include "stiefel/spmv/openmp/prefetch.hpp"
#include "stiefel/spmv/openmp/slice_blocks.hpp"
#include "stiefel/spmv/row_update.hpp"

namespace stiefel::openmp {

namespace {

/// update_row for consecutive rows, whole vectors at a time.
template <Index lanes, class T>
void update_rows(T* y, const T (&sum)[lanes], T alpha, T beta) {
    if (beta == T{0}) {
#pragma omp simd
        for (Index lane = 0; lane < lanes; ++lane) y[lane] = alpha * sum[lane];
    } else {
#pragma omp simd
        for (Index lane = 0; lane < lanes; ++lane) y[lane] = alpha * sum[lane] + beta * y[lane];
    }
}

/// Rows first_slot..first_slot+lanes of a slice at once, padding included: lane for lane the same multiplication, so
/// the processor's vector units do them side by side.
template <Index lanes, class Stored, class T>
void multiply_lanes(const HostSell<Stored>& a, const SpmvArguments<T>& s, Size first_slot, Size begin, Size end) {
    const Stored* const values = a.values.data();
    const Index* const col_idx = a.col_idx.data();
    T sum[lanes] = {};
    for (Size k = begin; k < end; k += a.slice_height) {
        for (Index lane = 0; lane < lanes; lane += 8) prefetch_entries(values, col_idx, k + lane);
#pragma omp simd
        for (Index lane = 0; lane < lanes; ++lane) sum[lane] += values[k + lane] * s.x[col_idx[k + lane]];
    }
    if (a.row_of_slot.empty() && first_slot + lanes <= a.n_rows) {
        update_rows(s.y + first_slot, sum, s.alpha, s.beta);
        return;
    }
    for (Index lane = 0; lane < lanes; ++lane) {
        const Index row = a.row(first_slot + lane);
        if (row < a.n_rows) update_row(s.y[row], sum[lane], s.alpha, s.beta);
    }
}

/// All slices, `lanes` rows at a time; the slice height is a multiple of it.
template <Index lanes, class Stored, class T>
void multiply_slices(OpenMP& backend, const HostSell<Stored>& a, const SpmvArguments<T>& s) {
    for_slice_blocks(backend, a, s, [&](Index slice) {
        for (Index lane = 0; lane < a.slice_height; lane += lanes) {
            multiply_lanes<lanes>(a, s, Size{slice} * a.slice_height + lane, a.slice_ptr[slice] + lane,
                                  a.slice_ptr[slice + 1]);
        }
    });
}

}  // namespace

template <class Stored, class T>
void sell_simd(OpenMP& backend, const HostSell<Stored>& a, const SpmvArguments<T>& s) {
    if (a.slice_height % 32 == 0) return multiply_slices<32>(backend, a, s);
    if (a.slice_height % 16 == 0) return multiply_slices<16>(backend, a, s);
    if (a.slice_height % 8 == 0) return multiply_slices<8>(backend, a, s);
    if (a.slice_height % 4 == 0) return multiply_slices<4>(backend, a, s);
    multiply_slices<1>(backend, a, s);
}

template void sell_simd(OpenMP&, const HostSell<double>&, const SpmvArguments<double>&);
template void sell_simd(OpenMP&, const HostSell<float>&, const SpmvArguments<float>&);
template void sell_simd(OpenMP&, const HostSell<float>&, const SpmvArguments<double>&);

}  // namespace stiefel::openmp
