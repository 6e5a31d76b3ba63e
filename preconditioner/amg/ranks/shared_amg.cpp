#include "stiefel/preconditioner/amg/ranks/shared_amg.hpp"

#include "stiefel/preconditioner/amg/ranks/rank_amg.hpp"

#include <algorithm>
#include <type_traits>

namespace stiefel {

namespace {

/// As that of one process.
double diagonal_spread(Ranks& ranks, const SplitRows<double>& a) {
    OpenMP host(1);
    const HostVector<double> diagonal = amg::diagonal_of(host, a.own);
    double ends[2] = {1, 1};  // the largest, and the inverse of the smallest
    for (const double d : diagonal) {
        ends[0] = std::max(ends[0], d);
        ends[1] = std::max(ends[1], 1 / d);
    }
    ranks.all_max(ends, 2);
    return ends[0] * ends[1];
}

}  // namespace

template <class B, class T>
AnyPreconditioner<B, T> shared_amg(B& backend, RanksOf<B>& ranks, const OpenMP& host, const RowBlocks& rows,
                                   const SplitRows<double>& a, const amg::SetupOptions& options, Index columns) {
    const auto made = [&]<class S>(std::type_identity<S>) {
        RankAmg<B, T, S> m(backend, ranks, host, rows, a, options);
        m.reserve(backend, columns);
        return AnyPreconditioner<B, T>(std::move(m));
    };
    if (diagonal_spread(ranks, a) > amg::widest_in_single) return made(std::type_identity<double>());
    return made(std::type_identity<float>());
}

template AnyPreconditioner<Serial, double> shared_amg(Serial&, Ranks&, const OpenMP&, const RowBlocks&,
                                                      const SplitRows<double>&, const amg::SetupOptions&, Index);
template AnyPreconditioner<OpenMP, double> shared_amg(OpenMP&, Ranks&, const OpenMP&, const RowBlocks&,
                                                      const SplitRows<double>&, const amg::SetupOptions&, Index);
#ifdef STIEFEL_HAS_CUDA
template AnyPreconditioner<Cuda, double> shared_amg(Cuda&, CudaWorld&, const OpenMP&, const RowBlocks&,
                                                    const SplitRows<double>&, const amg::SetupOptions&, Index);
#endif

}  // namespace stiefel
