#pragma once

#include "stiefel/preconditioner/list.hpp"

#include <memory>
#include <type_traits>
#include <utility>

// The way from a name to a preconditioner, for the files that compile it: all that preconditioners do with their
// backend, which is much.

namespace stiefel {

namespace detail {

/// With the options that are for it.
template <class B, class T, class Listed>
auto prepare_one(B& on, const Csr<T, typename B::memory>& csr, const PreconditionerOptions& options) {
    if constexpr (std::is_same_v<Listed, ListedAmg>) {
        return Listed::template prepare<B, T>(on, csr, options.amg);
    } else if constexpr (std::is_same_v<Listed, ListedBlockJacobi>) {
        return Listed::template prepare<B, T>(on, csr, options.block_jacobi);
    } else if constexpr (std::is_same_v<Listed, ListedFsai>) {
        return Listed::template prepare<B, T>(on, csr, options.fsai);
    } else if constexpr (std::is_same_v<Listed, ListedCholesky>) {
        return Listed::template prepare<B, T>(on, csr, options.analysis.get(), options.stops);
    } else if constexpr (std::is_same_v<Listed, ListedIncompleteCholesky>) {
        return Listed::template prepare<B, T>(on, csr, options.ic);
    } else if constexpr (std::is_same_v<Listed, ListedSsor>) {
        return Listed::template prepare<B, T>(on, csr, options.ssor);
    } else {
        return Listed::template prepare<B, T>(on, csr);
    }
}

template <class B, class T, class Listed>
PreparedPreconditioner<B, T> prepare_listed(B& on, const Csr<T, typename B::memory>& csr,
                                            const PreconditionerOptions& options) {
    auto bind = prepare_one<B, T, Listed>(on, csr, options);
    auto kept = std::make_shared<decltype(bind)>(std::move(bind));  // std::function copies what it holds
    return [kept](B& backend, const SpmvOperator<B, T>& a, Index columns) -> ChosenPreconditioner<B, T> {
        auto m = (*kept)(backend, a, columns);
        if constexpr (Pointwise<decltype(m), T>) {
            return m;
        } else {
            return AnyPreconditioner<B, T>(std::move(m));
        }
    };
}

}  // namespace detail

/// Compiles it for a backend and a type by naming what it has.
template <class B, class T>
struct PreparedByName {
    static constexpr auto entries = preconditioners<B, T>;
};

}  // namespace stiefel
