#include "stiefel/dense/gemm.hpp"
#include "stiefel/dense/host/gemm_naive.hpp"
#include "stiefel/dense/host/gemm_tiled.hpp"
#include "stiefel/dense/host/gemm_transposed.hpp"
#include "stiefel/dense/packed/gemm_packed.hpp"

#include <array>

namespace stiefel {

namespace {

constexpr auto one_after_the_other = [](Size n, auto&& f) {
    for (Size i = 0; i < n; ++i) f(i);
};

template <class T>
void naive(Serial&, const GemmArguments<T>& g, const GemmTuning&) {
    one_after_the_other(g.m, [&](Size i) { gemm_naive_row(g, i); });
}

template <class T>
void transposed(Serial&, const GemmArguments<T>& g, const GemmTuning&) {
    const TransposedOperands<T> operands(g, one_after_the_other);
    one_after_the_other(g.m, [&](Size i) { gemm_transposed_row(g, operands, i); });
}

template <class T>
void tiled(Serial&, const GemmArguments<T>& g, const GemmTuning& tuning) {
    const GemmTiles<T> tiles(g, tuning.tile == 0 ? default_gemm_tile : tuning.tile);
    HostVector<T> sums(tiles.elements());
    one_after_the_other(tiles.size(), [&](Size tile) { tiles.multiply(tile, sums.data()); });
}

template <class T>
void packed(Serial&, const GemmArguments<T>& g, const GemmTuning&) {
    gemm_packed(g, micro_kernels<T>().back(), 1);
}

}  // namespace

template <class T>
std::span<const GemmKernel<Serial, T>> gemm_kernels(const Serial&) {
    static constexpr std::array<GemmKernel<Serial, T>, 4> kernels = {{
        {"naive", "inner products by the definition; B is read down its columns", "", naive<T>},
        {"transposed", "B transposed first: both operands of an inner product are contiguous, so it vectorises", "",
         transposed<T>},
        {"tiled", "tiles that stay in cache: each loaded element serves a tile edge", "Lam, Rothberg, Wolf 1991",
         tiled<T>},
        {"packed", "packed panels, blocks sized to L1, L2 and L3, a micro-kernel that fills the registers",
         "Goto, van de Geijn 2008; Van Zee, van de Geijn 2015", packed<T>},
    }};
    return kernels;
}

template <class T>
void gemm(Serial& backend, Op op_a, Op op_b, std::type_identity_t<T> alpha, HostMatrix<const std::type_identity_t<T>> a,
          HostMatrix<const std::type_identity_t<T>> b, std::type_identity_t<T> beta, HostMatrix<T> c) {
    packed(backend, gemm_arguments(op_a, op_b, alpha, a, b, beta, c), {});
}

template std::span<const GemmKernel<Serial, double>> gemm_kernels(const Serial&);
template std::span<const GemmKernel<Serial, float>> gemm_kernels(const Serial&);
template void gemm(Serial&, Op, Op, double, HostMatrix<const double>, HostMatrix<const double>, double,
                   HostMatrix<double>);
template void gemm(Serial&, Op, Op, float, HostMatrix<const float>, HostMatrix<const float>, float, HostMatrix<float>);

}  // namespace stiefel
