#include "stiefel/solver/block_cg_kernels.hpp"
#include "stiefel/core/blocks.hpp"
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
constexpr Index cached_rows = 64;

/// Most partial sums of a Gram matrix.
constexpr Size max_chunks = 256;

/// f(K, k) with the smallest width K that holds k columns. Loops over K columns have a length known to the compiler;
/// what they do beyond column k is thrown away. Where k is a power of two, so do loops over k.
template <class F>
void with_width(Index k, F&& f) {
    switch (k) {
        case 4:
            return f(std::integral_constant<int, 4>{}, std::integral_constant<Index, 4>{});
        case 8:
            return f(std::integral_constant<int, 8>{}, std::integral_constant<Index, 8>{});
        case 16:
            return f(std::integral_constant<int, 16>{}, std::integral_constant<Index, 16>{});
        case 32:
            return f(std::integral_constant<int, 32>{}, std::integral_constant<Index, 32>{});
        default:
            break;
    }
    if (k < 4) return f(std::integral_constant<int, 4>{}, k);
    if (k < 8) return f(std::integral_constant<int, 8>{}, k);
    if (k < 16) return f(std::integral_constant<int, 16>{}, k);
    if (k <= 24) return f(std::integral_constant<int, 24>{}, k);
    if (k < 32) return f(std::integral_constant<int, 32>{}, k);
    f(std::integral_constant<int, 64>{}, k);
}

/// A k x k matrix with rows of K elements, zeros behind the k.
template <int K>
struct alignas(64) Widened {
    double rows[K][K] = {};

    Widened(Index k, const double* matrix, bool transposed = false) {
        for (Index i = 0; i < k; ++i) {
            for (Index j = 0; j < k; ++j) rows[i][j] = matrix[transposed ? j * k + i : i * k + j];
        }
    }
};

template <int K>
using Sums = double[row_group][K];

/// sums_r += factors_r row_r B  for some rows of a panel of k columns.
template <int K, class Rows, class Count, class T>
inline void add_products(Rows rows, Count k, const T* row, Size ld, const double* factors, const Widened<K>& b,
                         Sums<K>& sums) {
    for (Index i = 0; i < k; ++i) {
        for (Index r = 0; r < rows; ++r) {
            const double element = factors[r] * static_cast<double>(row[r * ld + i]);
#pragma omp simd
            for (Index j = 0; j < K; ++j) sums[r][j] += element * b.rows[i][j];
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

/// g += sum_r weight(r) row_r' row_r for rows of K elements, some rows of G at a time: as many as accumulate in
/// registers.
template <int K, class Count, class T, class Weight>
inline void add_gram(const T* rows, Size ld, Index n_rows, Count k, Weight weight, double* g) {
    constexpr Index in_registers = std::min(K, std::max(1, 128 / K));
    for (Index first = 0; first < k; first += in_registers) {
        double sums[static_cast<std::size_t>(in_registers)][K] = {};
        for (Index r = 0; r < n_rows; ++r) {
            const T* const row = rows + r * ld;
            for (Index i = 0; i < in_registers; ++i) {
                const double element = weight(r) * static_cast<double>(row[first + i]);
#pragma omp simd
                for (Index j = 0; j < K; ++j) sums[i][j] += element * static_cast<double>(row[j]);
            }
        }
        for (Index i = 0; i < std::min<Index>(in_registers, k - first); ++i) {
            for (Index j = 0; j < k; ++j) g[(first + i) * k + j] += sums[i][j];
        }
    }
}

template <int K, class Rows, class Count, class T>
inline void store_rows(Rows rows, Count k, const Sums<K>& sums, T* to, Size ld) {
    for (Index r = 0; r < rows; ++r) {
        for (Index j = 0; j < k; ++j) to[r * ld + j] = static_cast<T>(sums[r][j]);
    }
}

/// At most cached_rows rows of W = W z - s A S xi, and what they add to W' W and W' D W.
template <int K, class Count, class Scale, class T>
void residual_rows(Scale scale, const HostMatrix<const T>& as, const HostMatrix<T>& w, Count k, const Widened<K>& z,
                   const Widened<K>& xi, Size begin, Size end, double* gram, double* weighted) {
    constexpr bool whole = !std::is_same_v<Count, Index>;  // rows of W have K columns
    alignas(64) T widened[whole ? 1 : cached_rows * K];
    double weights[cached_rows];
    for_each_group(begin, end, [&](Size row, auto rows) {
        alignas(64) Sums<K> sums = {};
        double ones[row_group], minus_scale[row_group];
        for (Index r = 0; r < rows; ++r) {
            const double inverse = static_cast<double>(scale(row + r, T{1}));
            ones[r] = 1;
            minus_scale[r] = Scale::is_identity ? -1 : -std::sqrt(inverse);
            weights[row - begin + r] = 1 / inverse;
        }
        T* const to = w.data + row * w.ld;
        add_products(rows, k, to, w.ld, ones, z, sums);
        add_products(rows, k, as.data + row * as.ld, as.ld, minus_scale, xi, sums);
        store_rows<K>(rows, k, sums, to, w.ld);
        if constexpr (!whole) store_rows<K>(rows, K, sums, widened + (row - begin) * K, Size{K});
    });
    const auto n_rows = static_cast<Index>(end - begin);
    const auto add = [&](auto weight, double* to) {
        if constexpr (whole) {
            add_gram<K>(w.data + begin * w.ld, w.ld, n_rows, k, weight, to);
        } else {
            add_gram<K>(widened, K, n_rows, k, weight, to);
        }
    };
    add([](Index) { return 1.0; }, gram);
    if constexpr (!Scale::is_identity) add([&](Index r) { return weights[r]; }, weighted);
}

template <int K, class Count, class Scale, class T>
void direction_rows(Scale scale, const HostMatrix<const T>& w, const HostMatrix<T>& s, const HostMatrix<T>& x, Count k,
                    const Widened<K>& step, const Widened<K>& z, const Widened<K>& zeta_transposed, Size begin,
                    Size end) {
    for_each_group(begin, end, [&](Size row, auto rows) {
        alignas(64) Sums<K> x_sums = {};
        alignas(64) Sums<K> s_sums = {};
        double ones[row_group], scales[row_group];
        T* const s_row = s.data + row * s.ld;
        T* const x_row = x.data + row * x.ld;
        for (Index r = 0; r < rows; ++r) {
            ones[r] = 1;
            scales[r] = Scale::is_identity ? 1 : std::sqrt(static_cast<double>(scale(row + r, T{1})));
            for (Index j = 0; j < k; ++j) x_sums[r][j] = static_cast<double>(x_row[r * x.ld + j]);
        }
        add_products(rows, k, s_row, s.ld, ones, step, x_sums);
        add_products(rows, k, w.data + row * w.ld, w.ld, scales, z, s_sums);
        add_products(rows, k, s_row, s.ld, ones, zeta_transposed, s_sums);
        store_rows<K>(rows, k, x_sums, x_row, x.ld);
        store_rows<K>(rows, k, s_sums, s_row, s.ld);
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
    with_width(small.k, [&](auto width, auto k) {
        const Widened<width> z(small.k, small.z);
        const Widened<width> xi(small.k, small.xi);
#pragma omp parallel for num_threads(backend.threads()) schedule(static) if (n_chunks > 1)
        for (Size chunk = 0; chunk < n_chunks; ++chunk) {
            double* const gram = partials + 2 * chunk * size;
            std::fill_n(gram, 2 * size, 0.0);
            const Size end = std::min<Size>((chunk + 1) * chunk_rows, w.n_rows);
            for (Size begin = chunk * chunk_rows; begin < end; begin += cached_rows) {
                residual_rows<width>(scale, as, w, k, z, xi, begin, std::min<Size>(begin + cached_rows, end), gram,
                                     gram + size);
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
    const Size bytes = 5 * Size{w.n_rows} * small.k * static_cast<Size>(sizeof(T));
    with_width(small.k, [&](auto width, auto k) {
        const Widened<width> step(small.k, small.step);
        const Widened<width> z(small.k, small.z);
        const Widened<width> zeta_transposed(small.k, small.zeta, true);
        for_each_block(backend, w.n_rows, bytes, [&](Size begin, Size end) {
            direction_rows<width>(pointwise<T>(m), w, s, x, k, step, z, zeta_transposed, begin, end);
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
