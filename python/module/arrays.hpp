#pragma once

#include "stiefel/cli/kept/kept_matrix.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

namespace stiefel::python {

namespace nb = nanobind;

/// An array as the package hands it over: address, elements, whether they are a device's. The package sees to it that
/// it lies there until the call returns.
using Place = std::tuple<std::uintptr_t, Size, bool>;

inline cli::LentArray lent(const Place& place) {
    const auto& [address, size, on_device] = place;
    return {reinterpret_cast<void*>(address), size, on_device};
}

/// Holds a Python object until the last copy is gone, wherever that is.
inline KeepAlive held(nb::object object) {
    return {new nb::object(std::move(object)), [](const void* kept) {
                const nb::gil_scoped_acquire lock;
                delete static_cast<const nb::object*>(kept);
            }};
}

/// A NumPy array over elements that `owner` holds.
template <class T>
nb::object array_over(const void* data, std::initializer_list<std::size_t> shape, std::shared_ptr<const void> owner) {
    nb::capsule capsule(new std::shared_ptr<const void>(std::move(owner)),
                        [](void* kept) noexcept { delete static_cast<std::shared_ptr<const void>*>(kept); });
    return nb::cast(nb::ndarray<nb::numpy, T>(const_cast<void*>(data), shape, std::move(capsule)));
}
inline nb::object array_over(bool is_single, const void* data, std::initializer_list<std::size_t> shape,
                             std::shared_ptr<const void> owner) {
    return is_single ? array_over<float>(data, shape, std::move(owner))
                     : array_over<double>(data, shape, std::move(owner));
}

/// Coordinates of nodes, a row each, as multigrid takes them: copied, and named in the options. None of 0 dimensions.
DenseArray<double> points_of(const Place& place, Index dimensions, cli::SolveOptions& options);

/// A view of n elements for the time of a call.
inline nb::object view_of(bool is_single, const void* data, Size n) {
    const auto size = static_cast<std::size_t>(n);
    const auto view = [&]<class T>(T*) {
        return nb::cast(nb::ndarray<nb::numpy, T>(const_cast<void*>(data), {size}, nb::handle()),
                        nb::rv_policy::reference);
    };
    return is_single ? view(static_cast<float*>(nullptr)) : view(static_cast<double*>(nullptr));
}

}  // namespace stiefel::python
