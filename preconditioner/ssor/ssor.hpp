#pragma once

#include "stiefel/preconditioner/ssor/options.hpp"
#include "stiefel/preconditioner/triangular/factor_preconditioner.hpp"

#include <string_view>
#include <utility>

namespace stiefel {

namespace ssor {

template <HostBackend B, class T>
triangular::FactorSolve<B, T> make_relaxation(B& backend, const HostCsr<T>& a, const Options& options);
template <class T>
triangular::FactorSolve<Cuda, T> make_relaxation(Cuda& backend, const DeviceCsr<T>& a, const Options& options);

}  // namespace ssor

/// Symmetric successive over-relaxation (Axelsson 1972): M^-1 = (D / w + L) (w / (2 - w)) D^-1 (D / w + L'), a step of
/// which goes through the rows forth and back. Rows come in the order of a greedy colouring (Jones and Plassmann 1993),
/// so that a colour's rows depend on other colours alone: on grids there are as many full-width kernels as colours,
/// two. Set up where A lies, on a host by one core.
template <class B, class T>
class Ssor : public triangular::FactorPreconditioner<B, T> {
public:
    static constexpr const char* name = "ssor";

    /// a: n x n, symmetric; not kept. columns: the most that it will be applied to at once. Throws InvalidArgument
    /// naming the row where the diagonal is not positive or an entry not finite, and OutOfMemory where the triangles
    /// have no room.
    explicit Ssor(B& backend, const Csr<T, typename B::memory>& a, const ssor::Options& options = {}, Index columns = 1)
        : triangular::FactorPreconditioner<B, T>(backend, ssor::make_relaxation(backend, a, options), columns) {}
};

/// As it stands in preconditioner/list.hpp.
struct ListedSsor {
    static constexpr std::string_view name = "ssor";
    static constexpr std::string_view description =
        "symmetric successive over-relaxation, rows of a colour at once: half the iterations, each with two "
        "triangular solves of a few levels more";
    static constexpr std::string_view source = "Axelsson 1972; Jones and Plassmann 1993";

    template <class B, class T>
    static auto prepare(B& on, const Csr<T, typename B::memory>& csr, const ssor::Options& options) {
        return [m = Ssor<B, T>(on, csr, options)](B& backend, const auto&, Index columns) mutable {
            m.reserve(backend, columns);
            return std::move(m);
        };
    }
};

}  // namespace stiefel
