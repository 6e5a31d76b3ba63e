#include "stiefel/dense/gemm.hpp"
#include "stiefel/dense/host/gemm_naive.hpp"
#include "stiefel/dense/host/gemm_tiled.hpp"
#include "stiefel/dense/host/gemm_transposed.hpp"
#include "stiefel/dense/openmp/scheduled_for.hpp"
#include "stiefel/dense/packed/gemm_packed.hpp"

#include <array>

namespace stiefel {

namespace {

template <class T>
void naive(OpenMP& backend, const GemmArguments<T>& g, const GemmTuning& tuning) {
    scheduled_for(backend, g.m, tuning, [&](Size i) { gemm_naive_row(g, i); });
}

template <class T>
void transposed(OpenMP& backend, const GemmArguments<T>& g, const GemmTuning& tuning) {
    const auto shared = [&](Size n, auto&& f) { scheduled_for(backend, n, tuning, f); };
    const TransposedOperands<T> operands(g, shared);
    shared(g.m, [&](Size i) { gemm_transposed_row(g, operands, i); });
}

template <class T>
void tiled(OpenMP& backend, const GemmArguments<T>& g, const GemmTuning& tuning) {
    const GemmTiles<T> tiles(g, tuning.tile == 0 ? default_gemm_tile : tuning.tile);
    HostVector<T> sums(tiles.elements() * backend.threads());
    scheduled_for(backend, tiles.size(), tuning,
                  [&](Size tile) { tiles.multiply(tile, sums.data() + omp_get_thread_num() * tiles.elements()); });
}

template <class T>
void packed(OpenMP& backend, const GemmArguments<T>& g, const GemmTuning&) {
    gemm_packed(g, micro_kernels<T>().back(), backend.threads());
}

/// The packed rung in the registers that every machine has: what the wider ones bring.
template <class T>
void packed_baseline(OpenMP& backend, const GemmArguments<T>& g, const GemmTuning&) {
    gemm_packed(g, micro_kernels<T>().front(), backend.threads());
}

}  // namespace

template <class T>
std::span<const GemmKernel<OpenMP, T>> gemm_kernels(const OpenMP&) {
    static constexpr std::array<GemmKernel<OpenMP, T>, 5> kernels = {{
        {"naive", "rows of C shared among threads", "", naive<T>},
        {"transposed", "B transposed first, rows of C shared among threads", "", transposed<T>},
        {"tiled", "tiles of C shared among threads", "Lam, Rothberg, Wolf 1991", tiled<T>},
        {"packed-baseline", "packed panels, micro-kernel in 128-bit registers that every machine has",
         "Goto, van de Geijn 2008; Van Zee, van de Geijn 2015", packed_baseline<T>},
        {"packed", "packed panels, micro-kernel in the widest registers of this machine",
         "Goto, van de Geijn 2008; Van Zee, van de Geijn 2015", packed<T>},
    }};
    return kernels;
}

template <class T>
void gemm(OpenMP& backend, Op op_a, Op op_b, std::type_identity_t<T> alpha, HostMatrix<const std::type_identity_t<T>> a,
          HostMatrix<const std::type_identity_t<T>> b, std::type_identity_t<T> beta, HostMatrix<T> c) {
    packed(backend, gemm_arguments(op_a, op_b, alpha, a, b, beta, c), {});
}

template std::span<const GemmKernel<OpenMP, double>> gemm_kernels(const OpenMP&);
template std::span<const GemmKernel<OpenMP, float>> gemm_kernels(const OpenMP&);
template void gemm(OpenMP&, Op, Op, double, HostMatrix<const double>, HostMatrix<const double>, double,
                   HostMatrix<double>);
template void gemm(OpenMP&, Op, Op, float, HostMatrix<const float>, HostMatrix<const float>, float, HostMatrix<float>);

}  // namespace stiefel
