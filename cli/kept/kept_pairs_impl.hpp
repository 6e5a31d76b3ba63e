#pragma once

#include "stiefel/cli/eigen/eigen_pairs_impl.hpp"
#include "stiefel/cli/kept/kept_pairs.hpp"
#include "stiefel/cli/kept/lent_operands.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace stiefel::cli {

template <class T, class B>
EigenResult find_kept_pairs(B& backend, const SpmvOperator<B, T>& a, const ChosenPreconditioner<B, T>& m,
                            MultivectorOf<B, T>& x, const EigenOptions& options) {
    return std::visit([&](const auto& listed) { return lobpcg(backend, a, listed, x, options); }, m);
}

/// Compiles it for a backend and a type.
template <class T, class B>
struct FindsKeptPairs {
    static constexpr auto find = find_kept_pairs<T, B>;
};

template <class T>
KeptPairs find_pairs_of(const LentCsr& a, const EigenCommandOptions& options) {
    KeptPairs pairs;
    EigenReport& report = pairs.report;
    report.method = asked_method(options);
    StatusLine status(true);
    BackendStart start(backend_options(options));
    OpenMP host(host_threads(options));
    MatrixSource<T> source{
        .n_rows = a.n_rows, .n_cols = a.n_cols, .n_stored = a.nnz, .entries = CsrFromCoo<T>{.csr = taken<T>(host, a)}};
    auto vectors = std::make_shared<HostVector<T>>();
    start.with_backend([&]<class B>(B& backend) {
        *vectors = eigenpairs_of(backend, host, std::move(source), options, report, status);
    });
    report.peak_memory_bytes = peak_memory_bytes();
    pairs.vectors = vectors->data();
    pairs.owner = std::move(vectors);
    return pairs;
}

}  // namespace stiefel::cli
