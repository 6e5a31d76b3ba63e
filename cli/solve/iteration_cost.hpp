#pragma once

#include "stiefel/preconditioner/list.hpp"
#include "stiefel/solver/resident.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <variant>

namespace stiefel::cli {

/// Bytes that an iteration of CG on so many columns moves.
template <class B, class T>
double iteration_bytes(const SpmvOperator<B, T>& a, const ChosenPreconditioner<B, T>& m, Index columns) {
    constexpr double vectors = 8;  // that CG reads and writes beside the product
    return std::visit(
        [&](const auto& of_m) {
            return panel_work_of(a, columns).bytes + preconditioner_work(of_m, columns).bytes +
                   vectors * a.n_rows() * columns * sizeof(T);
        },
        m);
}

/// The same with Jacobi and A in CSR, before it is in the format that it is multiplied in.
template <class Matrix>
double iteration_bytes_in_csr(const Matrix& a, Index columns) {
    constexpr double vectors = 12;  // with x and y of the product, and those of Jacobi
    return static_cast<double>(a.bytes()) + vectors * a.n_rows * columns * sizeof(typename Matrix::value_type);
}

/// What a product takes on a device beyond its bytes, where A stores slices once for many: elements of x are fetched
/// for each entry all the same, from caches (H200: 27-point and elastic bodies 1.1 to 1.2 ps).
constexpr double seconds_of_fetches(double entries, double stored_bytes, double bytes_per_second) {
    constexpr double an_entry = 1.2e-12;
    return std::max(0.0, an_entry * entries - stored_bytes / bytes_per_second);
}

/// Whether CG's loop is likely to keep A and its vectors in a device's multiprocessors.
template <class B, class T>
bool iterates_in_multiprocessors(const B& backend, const SpmvOperator<B, T>& a, const ChosenPreconditioner<B, T>& m,
                                 Index columns) {
    if constexpr (HostBackend<B>) {
        return false;
    } else {
        if (columns != 1 ||
            !(std::holds_alternative<Identity>(m) || std::holds_alternative<Jacobi<T, typename B::memory>>(m))) {
            return false;
        }
        return a.visit([&](const auto& matrix, const auto&) {
            if constexpr (std::same_as<std::remove_cvref_t<decltype(matrix)>, DeviceCsr<T>>) {
                return is_likely_resident(backend, matrix);
            } else {
                return false;
            }
        });
    }
}

/// Seconds that an iteration of CG on so many columns is expected to take, by what it moves and, on a device, by the
/// kernels that it starts and by what it fetches: not by a clock, so that what is decided by it is decided alike in
/// every run. Its order of magnitude matters, and how two preconditioners compare.
template <class B, class T>
double expected_iteration_seconds(const B& backend, const SpmvOperator<B, T>& a, const ChosenPreconditioner<B, T>& m,
                                  Index columns) {
    constexpr double of_multiprocessors = 8e12;
    const double bytes_per_second = HostBackend<B>                                        ? 2e10
                                    : iterates_in_multiprocessors(backend, a, m, columns) ? of_multiprocessors
                                                                                          : 4e12;
    constexpr double start = HostBackend<B> ? 0 : 2.5e-6;           // of CG's own kernels (H200)
    constexpr double start_of_level = HostBackend<B> ? 0 : 20e-6;   // of a level's, in a cycle
    constexpr double sparse_inverse = HostBackend<B> ? 0 : 4.5e-6;  // two more products, and their halos
    const PreconditionerDetails details = std::visit([](const auto& of_m) { return preconditioner_details(of_m); }, m);
    const double fetches = HostBackend<B> ? 0
                                          : seconds_of_fetches(static_cast<double>(a.nnz()) * columns,
                                                               static_cast<double>(a.bytes()), bytes_per_second);
    return iteration_bytes(a, m, columns) / bytes_per_second + fetches + start +
           static_cast<double>(details.levels.size()) * start_of_level + (details.sparse_inverse ? sparse_inverse : 0);
}

}  // namespace stiefel::cli
