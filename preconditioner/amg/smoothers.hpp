#pragma once

#include "stiefel/preconditioner/amg/chebyshev_smoother.hpp"
#include "stiefel/preconditioner/amg/gauss_seidel.hpp"
#include "stiefel/preconditioner/amg/weighted_smoother.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace stiefel::amg {

/// The smoothers that can be chosen by name; those of a host go through rows in their order, which a device does not
/// have. One more is one more type here, which says name, description, source, and makes it of a level's scaled matrix
/// and a bound for its spectrum, and of what the cycle multiplies with, where that is made already.
using HostSmoothers = std::tuple<ListedChebyshevSmoother, ListedGaussSeidel, ListedL1Jacobi, ListedSpai0>;
using DeviceSmoothers = std::tuple<ListedChebyshevSmoother, ListedL1Jacobi, ListedSpai0>;

template <class B, class S>
struct SmootherEntry {
    std::string_view name;
    std::string_view description;
    std::string_view source;
    std::unique_ptr<Smoother<B, S>> (*make)(B& backend, const ScaledCsr<double>& a, double radius,
                                            MadeMatrix<B, S> made);
};

namespace detail {

template <class B, class S, class... Listed>
constexpr std::array<SmootherEntry<B, S>, sizeof...(Listed)> smoother_entries(std::tuple<Listed...>*) {
    return {{{Listed::name, Listed::description, Listed::source, &Listed::template make<B, S>}...}};
}

}  // namespace detail

template <class B, class S>
inline constexpr auto smoothers = detail::smoother_entries<B, S>(
    static_cast<std::conditional_t<HostBackend<B>, HostSmoothers, DeviceSmoothers>*>(nullptr));

}  // namespace stiefel::amg
