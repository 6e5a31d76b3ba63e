#pragma once

#include "stiefel/preconditioner/amg/amg.hpp"
#include "stiefel/preconditioner/any_preconditioner.hpp"
#include "stiefel/preconditioner/block_jacobi/block_jacobi.hpp"
#include "stiefel/preconditioner/cholesky/cholesky.hpp"
#include "stiefel/preconditioner/cholesky/incomplete_cholesky.hpp"
#include "stiefel/preconditioner/fsai/fsai.hpp"
#include "stiefel/preconditioner/scaled_chebyshev.hpp"
#include "stiefel/preconditioner/ssor/ssor.hpp"
#include "stiefel/spmv/operator.hpp"

#include <array>
#include <functional>
#include <memory>
#include <tuple>
#include <variant>

namespace stiefel {

/// The preconditioners that can be chosen by name. One more is one more type here, which says
///   name, description, source                       for help and documents; source: where the method comes from
///   prepare(backend, csr)                           what it needs of A's entries; gives a function
///     of (backend, a, columns) -> M                 for a, A in the format that it will be multiplied in, which
///     outlives M
using ListedPreconditioners = std::tuple<ListedIdentity, ListedJacobi, ListedBlockJacobi, ListedChebyshev, ListedAmg,
                                         ListedFsai, ListedIncompleteCholesky, ListedSsor, ListedCholesky>;

inline constexpr std::size_t n_preconditioners = std::tuple_size_v<ListedPreconditioners>;

/// What has been chosen. Solvers are compiled for those that they fold into their kernels, and once for all others.
template <class B, class T>
using ChosenPreconditioner = std::variant<Identity, Jacobi<T, typename B::memory>, AnyPreconditioner<B, T>>;

/// Made from A's entries; to be called once, with A as operator and the columns that M will be applied to at once.
template <class B, class T>
using PreparedPreconditioner =
    std::function<ChosenPreconditioner<B, T>(B& backend, const SpmvOperator<B, T>& a, Index columns)>;

/// What those that have choices can be told. What is lent in it is looked at while they are prepared.
struct PreconditionerOptions {
    amg::SetupOptions amg = {};
    block_jacobi::Options block_jacobi = {};
    fsai::Options fsai = {};
    cholesky::IncompleteOptions ic = {};
    ssor::Options ssor = {};
    std::shared_ptr<const cholesky::Analysis> analysis = {};  ///< of this matrix, where it was made before
    StopRequest stops = {};                                   ///< ends a long factorisation, which throws GivenUp
};

template <class B, class T>
struct PreconditionerEntry {
    using Matrix = Csr<T, typename B::memory>;
    std::string_view name;
    std::string_view description;
    std::string_view source;
    PreparedPreconditioner<B, T> (*prepare_with)(B& backend, const Matrix& a, const PreconditionerOptions& options);

    PreparedPreconditioner<B, T> prepare(B& backend, const Matrix& a, const PreconditionerOptions& options = {}) const {
        return prepare_with(backend, a, options);
    }
};

namespace detail {

/// Compiled once for all who choose by name, a file for each backend (prepare_listed.hpp).
template <class B, class T, class Listed>
PreparedPreconditioner<B, T> prepare_listed(B& on, const Csr<T, typename B::memory>& csr,
                                            const PreconditionerOptions& options);

template <class B, class T, class... Listed>
constexpr auto entries(std::tuple<Listed...>*) {
    return std::array{
        PreconditionerEntry<B, T>{Listed::name, Listed::description, Listed::source, prepare_listed<B, T, Listed>}...};
}

}  // namespace detail

/// The same ones on every backend.
template <class B, class T>
inline constexpr auto preconditioners = detail::entries<B, T>(static_cast<ListedPreconditioners*>(nullptr));

}  // namespace stiefel
