#include "stiefel/preconditioner/cholesky/cholesky.hpp"

namespace stiefel {

template <HostBackend B, class T>
Cholesky<B, T>::Cholesky(B& backend, const HostCsr<T>& a, const cholesky::Analysis* analysis) {
    require(a.n_rows == a.n_cols, "cholesky: A must be square");
    const Stopwatch all;
    Stopwatch step;
    const auto say = [&](const char* what, double seconds) { about_.setup.push_back({what, seconds}); };
    std::optional<cholesky::Analysis> own;
    if (analysis == nullptr) {
        cholesky::CompressedGraph groups = cholesky::compressed_graph(a);
        say("compress", step.restart());
        analysis = &own.emplace(std::move(groups));
        say("order", analysis->seconds_of_ordering());
    }
    factor_ = std::make_unique<cholesky::Factor<T>>(analysis->symbolic(), backend.threads());
    say("analyse", step.restart() - (own ? own->seconds_of_ordering() : 0));
    factor_->compute(a);
    say("factor", step.restart());
    solve_.emplace(*factor_, 1);
    about_.seconds = all.seconds();
    about_.factorisation = {.ordering = "approximate minimum degree",
                            .supernodes = factor_->symbolic().size(),
                            .nonzeros = factor_->symbolic().nonzeros,
                            .flops = factor_->symbolic().flops,
                            .shift = factor_->shift(),
                            .vertices = analysis->graph().n,
                            .couplings = analysis->graph().adjacent.size()};
}

template <HostBackend B, class T>
PreconditionerDetails Cholesky<B, T>::details() const {
    PreconditionerDetails details = about_;
    details.bytes = bytes();
    return details;
}

template class Cholesky<Serial, double>;
template class Cholesky<Serial, float>;
template class Cholesky<OpenMP, double>;
template class Cholesky<OpenMP, float>;

}  // namespace stiefel
