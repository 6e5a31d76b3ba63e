#include "stiefel/solver/block_cg_kernels.hpp"
#include "stiefel/core/blocks.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/solver/block_cg_decide.hpp"
#include "stiefel/solver/preconditioner/pointwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiefel {

namespace {

/// Rows that are multiplied together, so that an element of a small matrix is loaded once for all of them.
constexpr Index row_group = 4;

/// Rows between two passes over them: they stay in the first-level cache.
constexpr Size cached_rows = 64;

/// Most partial sums of a Gram matrix.
constexpr Size max_chunks = 256;

/// The number of columns, known to the compiler (K > 0) or not.
template <int K>
struct Columns {
    Index n;
    constexpr operator Index() const { return K > 0 ? K : n; }
    static constexpr Index most = K > 0 ? K : max_panel_columns;
};

/// f(Columns) with the number known to the compiler where that pays.
template <class F>
void with_columns(Index k, F&& f) {
    switch (k) {
        case 1:
            return f(Columns<1>{k});
        case 2:
            return f(Columns<2>{k});
        case 4:
            return f(Columns<4>{k});
        case 8:
            return f(Columns<8>{k});
        case 16:
            return f(Columns<16>{k});
        case 32:
            return f(Columns<32>{k});
        default:
            return f(Columns<0>{k});
    }
}

template <class K>
using Sums = double[row_group][static_cast<std::size_t>(K::most)];

/// sums_r += factors_r row_r B  for `rows` rows of a panel.
template <class K, class T>
inline void add_products(K k, Index rows, const T* row, Size ld, const double* factors, const double* b,
                         Sums<K>& sums) {
    for (Index i = 0; i < k; ++i) {
        for (Index r = 0; r < rows; ++r) {
            const double element = factors[r] * static_cast<double>(row[r * ld + i]);
#pragma omp simd
            for (Index j = 0; j < k; ++j) sums[r][j] += element * b[i * k + j];
        }
    }
}

/// f(row, rows) for groups of rows, whole ones with their number known to the compiler.
template <class F>
inline void for_each_group(Size begin, Size end, F&& f) {
    Size row = begin;
    for (; row + row_group <= end; row += row_group) f(row, std::integral_constant<Index, row_group>{});
    for (; row < end; ++row) f(row, std::integral_constant<Index, 1>{});
}

/// g += sum_r weight(r) row_r' row_r, some rows of G at a time: as many as accumulate in registers.
template <class K, class T, class Weight>
inline void add_gram(K k, const HostMatrix<T>& w, Size begin, Size end, Weight weight, double* g) {
    constexpr Index in_registers = std::max<Index>(1, std::min<Index>(K::most, 128 / K::most));
    for (Index first = 0; first < k; first += in_registers) {
        const Index rows_of_g = std::min<Index>(in_registers, k - first);
        double sums[static_cast<std::size_t>(in_registers)][static_cast<std::size_t>(K::most)] = {};
        for (Size row = begin; row < end; ++row) {
            const T* const elements = w.data + row * w.ld;
            const double scale = weight(row);
            for (Index i = 0; i < in_registers; ++i) {
                if (i >= rows_of_g) break;
                const double element = scale * static_cast<double>(elements[first + i]);
#pragma omp simd
                for (Index j = 0; j < k; ++j) sums[i][j] += element * static_cast<double>(elements[j]);
            }
        }
        for (Index i = 0; i < rows_of_g; ++i) {
            for (Index j = 0; j < k; ++j) g[(first + i) * k + j] += sums[i][j];
        }
    }
}

/// One block of W = W z - s A S xi, and what its rows add to W' W and W' D W.
template <class K, class Scale, class T>
void residual_rows(K k, Scale scale, const HostMatrix<const T>& as, const HostMatrix<T>& w,
                   const BlockCgMatrices& small, Size begin, Size end, double* gram, double* weighted) {
    for_each_group(begin, end, [&](Size row, auto rows) {
        Sums<K> sums = {};
        double ones[row_group], minus_scale[row_group];
        for (Index r = 0; r < rows; ++r) {
            ones[r] = 1;
            minus_scale[r] = -std::sqrt(static_cast<double>(scale(row + r, T{1})));
        }
        T* const to = w.data + row * w.ld;
        add_products(k, rows, to, w.ld, ones, small.z, sums);
        add_products(k, rows, as.data + row * as.ld, as.ld, minus_scale, small.xi, sums);
        for (Index r = 0; r < rows; ++r) {
            for (Index j = 0; j < k; ++j) to[r * w.ld + j] = static_cast<T>(sums[r][j]);
        }
    });
    add_gram(
        k, w, begin, end, [](Size) { return 1.0; }, gram);
    if constexpr (!Scale::is_identity) {
        add_gram(
            k, w, begin, end, [&](Size i) { return 1 / static_cast<double>(scale(i, T{1})); }, weighted);
    }
}

template <class K, class Scale, class T>
void direction_rows(K k, Scale scale, const HostMatrix<const T>& w, const HostMatrix<T>& s, const HostMatrix<T>& x,
                    const BlockCgMatrices& small, const double* zeta_transposed, Size begin, Size end) {
    for_each_group(begin, end, [&](Size row, auto rows) {
        Sums<K> x_sums, s_sums = {};
        double ones[row_group], scales[row_group];
        T* const s_row = s.data + row * s.ld;
        T* const x_row = x.data + row * x.ld;
        for (Index r = 0; r < rows; ++r) {
            ones[r] = 1;
            scales[r] = std::sqrt(static_cast<double>(scale(row + r, T{1})));
            for (Index j = 0; j < k; ++j) x_sums[r][j] = static_cast<double>(x_row[r * x.ld + j]);
        }
        add_products(k, rows, s_row, s.ld, ones, small.step, x_sums);
        add_products(k, rows, w.data + row * w.ld, w.ld, scales, small.z, s_sums);
        add_products(k, rows, s_row, s.ld, ones, zeta_transposed, s_sums);
        for (Index r = 0; r < rows; ++r) {
            for (Index j = 0; j < k; ++j) x_row[r * x.ld + j] = static_cast<T>(x_sums[r][j]);
            for (Index j = 0; j < k; ++j) s_row[r * s.ld + j] = static_cast<T>(s_sums[r][j]);
        }
    });
}

/// Chunks of rows that leave one partial sum each; they depend on n alone.
Size rows_of_chunk(Size n) {
    const Size blocks = (n + reduction_block - 1) / reduction_block;
    return std::max<Size>(1, (blocks + max_chunks - 1) / max_chunks) * reduction_block;
}

}  // namespace

template <class T>
void block_cg_step(OpenMP&, const BlockCgMatrices& small, CgState* state) {
    if (state->reason != StopReason::running) return;
    block_cg_solve_step(HostTeam{}, small, std::numeric_limits<T>::epsilon(), state);
}

template <class M, class T>
void block_cg_residual(OpenMP& backend, const M& m, HostMatrix<const T> as, HostMatrix<T> w,
                       const BlockCgMatrices& small, const CgState* state) {
    if (state->reason != StopReason::running) return;
    const auto scale = pointwise<T>(m);
    const Size size = Size{small.k} * small.k;
    const Size chunk_rows = rows_of_chunk(w.n_rows);
    const Size n_chunks = (w.n_rows + chunk_rows - 1) / chunk_rows;
    double* const partials = backend.partials(2 * n_chunks * size);
    with_columns(small.k, [&](auto k) {
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (n_chunks > 1)
        for (Size chunk = 0; chunk < n_chunks; ++chunk) {
            double* const gram = partials + 2 * chunk * size;
            std::fill_n(gram, 2 * size, 0.0);
            const Size end = std::min<Size>((chunk + 1) * chunk_rows, w.n_rows);
            for (Size begin = chunk * chunk_rows; begin < end; begin += cached_rows) {
                residual_rows(k, scale, as, w, small, begin, std::min(begin + cached_rows, end), gram, gram + size);
            }
        }
    });
    for (Size e = 0; e < size; ++e) {
        small.gram[e] = pairwise_sum(n_chunks, [&](Size chunk) { return partials[2 * chunk * size + e]; });
        if (scale.is_identity) continue;
        small.weighted[e] = pairwise_sum(n_chunks, [&](Size chunk) { return partials[(2 * chunk + 1) * size + e]; });
    }
}

template <class T>
void block_cg_basis(OpenMP&, const BlockCgMatrices& small, bool start, CgState* state) {
    if (state->reason != StopReason::running) return;
    block_cg_orthonormalise(HostTeam{}, small, std::numeric_limits<T>::epsilon(), start, state);
}

template <class M, class T>
void block_cg_direction(OpenMP& backend, const M& m, HostMatrix<const T> w, HostMatrix<T> s, HostMatrix<T> x,
                        const BlockCgMatrices& small, const CgState* state) {
    if (state->reason != StopReason::running) return;
    double zeta_transposed[max_panel_columns * max_panel_columns];
    for (Index e = 0; e < small.k * small.k; ++e) zeta_transposed[e] = small.zeta[e % small.k * small.k + e / small.k];
    const Size bytes = 5 * Size{w.n_rows} * small.k * static_cast<Size>(sizeof(T));
    with_columns(small.k, [&](auto k) {
        for_each_block(backend, w.n_rows, bytes, [&](Size begin, Size end) {
            direction_rows(k, pointwise<T>(m), w, s, x, small, zeta_transposed, begin, end);
        });
    });
}

template void block_cg_step<double>(OpenMP&, const BlockCgMatrices&, CgState*);
template void block_cg_step<float>(OpenMP&, const BlockCgMatrices&, CgState*);
template void block_cg_basis<double>(OpenMP&, const BlockCgMatrices&, bool, CgState*);
template void block_cg_basis<float>(OpenMP&, const BlockCgMatrices&, bool, CgState*);
template void block_cg_residual(OpenMP&, const Identity&, HostMatrix<const double>, HostMatrix<double>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_residual(OpenMP&, const Identity&, HostMatrix<const float>, HostMatrix<float>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_residual(OpenMP&, const HostJacobi<double>&, HostMatrix<const double>, HostMatrix<double>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_residual(OpenMP&, const HostJacobi<float>&, HostMatrix<const float>, HostMatrix<float>,
                                const BlockCgMatrices&, const CgState*);
template void block_cg_direction(OpenMP&, const Identity&, HostMatrix<const double>, HostMatrix<double>,
                                 HostMatrix<double>, const BlockCgMatrices&, const CgState*);
template void block_cg_direction(OpenMP&, const Identity&, HostMatrix<const float>, HostMatrix<float>,
                                 HostMatrix<float>, const BlockCgMatrices&, const CgState*);
template void block_cg_direction(OpenMP&, const HostJacobi<double>&, HostMatrix<const double>, HostMatrix<double>,
                                 HostMatrix<double>, const BlockCgMatrices&, const CgState*);
template void block_cg_direction(OpenMP&, const HostJacobi<float>&, HostMatrix<const float>, HostMatrix<float>,
                                 HostMatrix<float>, const BlockCgMatrices&, const CgState*);

}  // namespace stiefel
