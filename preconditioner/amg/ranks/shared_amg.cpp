#include "stiefel/preconditioner/amg/ranks/shared_amg.hpp"

#include "stiefel/preconditioner/amg/ranks/rank_amg.hpp"

#include <algorithm>
#include <type_traits>

namespace stiefel {

namespace {

/// Of a diagonal and 1: the largest, and the inverse of the smallest. What is wrong with it is said by the set-up.
struct Ends {
    double most = 1, inverse_of_least = 1;
};

template <HostBackend B>
Ends ends_of_diagonal(B&, const HostCsr<double>& a) {
    OpenMP host(1);
    Ends ends;
    for (const double d : amg::diagonal_of(host, a)) {
        ends.most = std::max(ends.most, d);
        ends.inverse_of_least = std::max(ends.inverse_of_least, 1 / d);
    }
    return ends;
}
#ifdef STIEFEL_HAS_CUDA
Ends ends_of_diagonal(Cuda& backend, const DeviceCsr<double>& a) {
    if (a.n_rows == 0) return {};
    const amg::DeviceMatrix found = amg::look_at_diagonal(backend, a);
    const amg::LevelFacts facts = load(backend, found.facts);
    if (facts.first_bad_row != amg::LevelFacts::none) return {};
    return {std::max(1.0, amg::LevelFacts::number(facts.most_diagonal)),
            std::max(1.0, 1 / amg::LevelFacts::number(facts.least_diagonal))};
}
DeviceCsr<double> brought_to(Cuda& backend, const HostCsr<double>& here) {
    return to_device(backend, here);
}
#endif
template <HostBackend B>
const HostCsr<double>& brought_to(B&, const HostCsr<double>& here) {
    return here;
}

/// As that of one process.
double diagonal_spread(Ranks& ranks, const Ends& here) {
    double ends[2] = {here.most, here.inverse_of_least};
    ranks.all_max(ends, 2);
    return ends[0] * ends[1];
}

}  // namespace

template <class B, class T>
AnyPreconditioner<B, T> shared_amg(B& backend, RanksOf<B>& ranks, const OpenMP& host, const RowBlocks& rows,
                                   const SplitRows<double>& a, const amg::SetupOptions& options, Index columns,
                                   const Csr<double, typename B::memory>* own) {
    if (own == nullptr) {
        const auto& there = brought_to(backend, a.own);
        return shared_amg<B, T>(backend, ranks, host, rows, a, options, columns, &there);
    }
    const auto make = [&]<class S>(std::type_identity<S>) {
        return RankAmg<B, T, S>(backend, ranks, host, rows, a, options, own);
    };
    const auto ready = [&](auto m) {
        m.reserve(backend, columns);
        return AnyPreconditioner<B, T>(std::move(m));
    };
    const double spread = diagonal_spread(ranks, ends_of_diagonal(backend, *own));
    if (spread > amg::widest_in_single) return ready(make(std::type_identity<double>()));
    const Stopwatch since_begin;
    double found = 0;
    {
        auto single = make(std::type_identity<float>());
        if (single.is_precise()) return ready(std::move(single));
        found = single.trial();
    }
    const double seconds = since_begin.seconds();
    auto precise = make(std::type_identity<double>());
    precise.count_trial(found, seconds);
    return ready(std::move(precise));
}

template AnyPreconditioner<Serial, double> shared_amg(Serial&, Ranks&, const OpenMP&, const RowBlocks&,
                                                      const SplitRows<double>&, const amg::SetupOptions&, Index,
                                                      const HostCsr<double>*);
template AnyPreconditioner<Serial, float> shared_amg(Serial&, Ranks&, const OpenMP&, const RowBlocks&,
                                                     const SplitRows<double>&, const amg::SetupOptions&, Index,
                                                     const HostCsr<double>*);
template AnyPreconditioner<OpenMP, double> shared_amg(OpenMP&, Ranks&, const OpenMP&, const RowBlocks&,
                                                      const SplitRows<double>&, const amg::SetupOptions&, Index,
                                                      const HostCsr<double>*);
template AnyPreconditioner<OpenMP, float> shared_amg(OpenMP&, Ranks&, const OpenMP&, const RowBlocks&,
                                                     const SplitRows<double>&, const amg::SetupOptions&, Index,
                                                     const HostCsr<double>*);
#ifdef STIEFEL_HAS_CUDA
template AnyPreconditioner<Cuda, double> shared_amg(Cuda&, CudaWorld&, const OpenMP&, const RowBlocks&,
                                                    const SplitRows<double>&, const amg::SetupOptions&, Index,
                                                    const DeviceCsr<double>*);
template AnyPreconditioner<Cuda, float> shared_amg(Cuda&, CudaWorld&, const OpenMP&, const RowBlocks&,
                                                   const SplitRows<double>&, const amg::SetupOptions&, Index,
                                                   const DeviceCsr<double>*);
#endif

}  // namespace stiefel
