#include "stiefel/preconditioner/cholesky/cholesky.hpp"

#include "stiefel/core/timing.hpp"

namespace stiefel::cholesky {

template <class T>
ToldFactor<T> factor(const HostCsr<T>& a, const Analysis* analysis, int threads, const StopRequest& stops) {
    require(a.n_rows == a.n_cols, "cholesky: A must be square");
    const Stopwatch all;
    Stopwatch step;
    ToldFactor<T> told;
    const auto say = [&](const char* what, double seconds) { told.about.setup.push_back({what, seconds}); };
    std::optional<Analysis> own;
    if (analysis == nullptr) {
        CompressedGraph groups = compressed_graph(a);
        say("compress", step.restart());
        analysis = &own.emplace(std::move(groups));
        say("order", analysis->seconds_of_ordering());
    }
    told.factor = std::make_unique<Factor<T>>(analysis->symbolic(), threads);
    say("analyse", step.restart() - (own ? own->seconds_of_ordering() : 0));
    told.factor->compute(a, stops);
    say("factor", step.restart());
    const Symbolic& symbolic = told.factor->symbolic();
    told.about.seconds = all.seconds();
    told.about.factorisation = {.ordering = "approximate minimum degree",
                                .supernodes = symbolic.size(),
                                .nonzeros = symbolic.nonzeros,
                                .flops = symbolic.flops,
                                .shift = told.factor->shift(),
                                .vertices = analysis->graph().n,
                                .couplings = analysis->graph().adjacent.size()};
    return told;
}

template ToldFactor<double> factor(const HostCsr<double>&, const Analysis*, int, const StopRequest&);
template ToldFactor<float> factor(const HostCsr<float>&, const Analysis*, int, const StopRequest&);

}  // namespace stiefel::cholesky
