#pragma once

#include "stiefel/preconditioner/cholesky/incomplete_factor.hpp"
#include "stiefel/preconditioner/triangular/factor_preconditioner.hpp"

#include <string_view>
#include <utility>

namespace stiefel {

namespace cholesky {

template <HostBackend B, class T>
triangular::FactorSolve<B, T> make_incomplete(B& backend, const HostCsr<T>& a, const IncompleteOptions& options);
template <class T>
triangular::FactorSolve<Cuda, T> make_incomplete(Cuda& backend, const DeviceCsr<T>& a,
                                                 const IncompleteOptions& options);

}  // namespace cholesky

/// Incomplete Cholesky factorisation on the pattern of A, with levels of fill, or with a threshold: M = (L L')^-1 with
/// L L' ~ A, in the order in which A's rows come. The factor is computed by one core of the host, for a device as well;
/// substitutions go level by level on the backend's threads, or by a kernel of the device's ladder
/// (triangular/kernel_list.hpp).
template <class B, class T>
class IncompleteCholesky : public triangular::FactorPreconditioner<B, T> {
public:
    static constexpr const char* name = "ic";

    /// a: n x n, symmetric; not kept. columns: the most that it will be applied to at once. Throws InvalidArgument
    /// naming the row where the diagonal is not positive or an entry not finite, and OutOfMemory before the factor is
    /// computed where it has no room on the host, or before it is copied where it has none on a device.
    explicit IncompleteCholesky(B& backend, const Csr<T, typename B::memory>& a,
                                const cholesky::IncompleteOptions& options = {}, Index columns = 1)
        : triangular::FactorPreconditioner<B, T>(backend, cholesky::make_incomplete(backend, a, options), columns) {}
};

/// As it stands in preconditioner/list.hpp.
struct ListedIncompleteCholesky {
    static constexpr std::string_view name = "ic";
    static constexpr std::string_view description =
        "incomplete Cholesky on A's pattern, with levels of fill or a threshold, computed by a core of the host: a "
        "third to a half of the iterations, each with two triangular solves more";
    static constexpr std::string_view source =
        "Meijerink and van der Vorst 1977; Jones and Plassmann 1995; Lin and More 1999; Hysom and Pothen 2002; "
        "Manteuffel 1980";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr, const cholesky::IncompleteOptions& options) {
        return [m = IncompleteCholesky<B, T>(on, csr, options)](B& backend, const auto&, Index columns) mutable {
            m.reserve(backend, columns);
            return std::move(m);
        };
    }
};

}  // namespace stiefel
