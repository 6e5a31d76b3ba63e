#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/core/multivector.hpp"
#include "stiefel/core/transfer.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_columns.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::detail {

// What happens to right-hand sides before a block is solved for.

/// Throws InvalidArgument naming the first column of a panel that holds a NaN or infinity; else max |a_ij| of each.
template <class B, class T>
std::vector<double> finite_maxima(B& backend, const MultivectorOf<B, T>& a, std::string_view name) {
    auto maxima = make_vector<double>(backend, a.n_cols());
    column_maxima(backend, a.view(), maxima.data());
    HostVector<double> on_host(a.n_cols());
    download(backend, maxima, on_host);
    for (Index j = 0; j < a.n_cols(); ++j) {
        if (std::isfinite(on_host[j])) continue;
        throw InvalidArgument("block_cg: column " + std::to_string(j + 1) + " of " + std::string(name) +
                              " holds a NaN or infinity");
    }
    return {on_host.begin(), on_host.end()};
}

template <class B, class T>
std::vector<double> column_norms(B& backend, const MultivectorOf<B, T>& a) {
    const Index k = a.n_cols();
    auto products = make_vector<double>(backend, Size{k} * k);
    gram(backend, a.view(), a.view(), as_matrix(products, k, k));
    HostVector<double> on_host(products.size());
    download(backend, products, on_host);
    std::vector<double> norms;
    for (Index j = 0; j < k; ++j) norms.push_back(std::sqrt(on_host[j * k + j]));
    return norms;
}

template <class B, class T>
void scale_by(B& backend, const std::vector<double>& factors, MultivectorOf<B, T>& a) {
    HostVector<double> on_host(a.n_cols());
    std::copy(factors.begin(), factors.end(), on_host.begin());
    auto on_backend = make_vector<double>(backend, a.n_cols());
    upload(backend, on_host, on_backend);
    scale_columns(backend, on_backend.data(), a.view());
}

/// column_norms, also where squares leave the range of double: then of columns brought to about 1 in `room`, a panel of
/// the same size.
template <class B, class T>
std::vector<double> column_norms_in_range(B& backend, const MultivectorOf<B, T>& a, MultivectorOf<B, T>& room) {
    std::vector<double> norms = column_norms<B, T>(backend, a);
    constexpr double least = 1e-140;  // below, squares may have vanished
    if (std::all_of(norms.begin(), norms.end(), [](double norm) { return norm >= least && std::isfinite(norm); })) {
        return norms;
    }
    auto maxima = make_vector<double>(backend, a.n_cols());
    column_maxima(backend, a.view(), maxima.data());
    HostVector<double> on_host(a.n_cols());
    download(backend, maxima, on_host);
    std::vector<int> exponents;
    std::vector<double> factors;
    for (const double largest : on_host.span()) {
        exponents.push_back(std::isfinite(largest) && largest > 0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0);
        factors.push_back(std::ldexp(1.0, -exponents.back()));
    }
    copy(backend, a.values(), room.values());
    scale_by<B, T>(backend, factors, room);
    norms = column_norms<B, T>(backend, room);
    for (std::size_t j = 0; j < norms.size(); ++j) norms[j] = std::ldexp(norms[j], exponents[j]);
    return norms;
}

/// The powers of two that bring columns whose squares might leave the range of double on the way to the tolerance to
/// about 1; 1 for all others, so that as a rule no copy of B is needed.
class BlockCgUnits {
public:
    explicit BlockCgUnits(const std::vector<double>& maxima) {
        for (const double largest : maxima) {
            units_.push_back(unit_of(largest));
            keep_.push_back(largest == 0 ? 0 : units_.back());
            back_.push_back(1 / units_.back());
        }
    }

    bool all_are_one() const {
        return std::all_of(units_.begin(), units_.end(), [](double unit) { return unit == 1; });
    }
    const std::vector<double>& of_b() const { return units_; }
    const std::vector<double>& of_guess() const { return keep_; }  ///< 0 where b is: whatever the guess
    const std::vector<double>& back() const { return back_; }

private:
    static double unit_of(double largest) {
        if (largest == 0 || (largest >= 1e-100 && largest <= 1e100)) return 1;
        int exponent = 0;
        std::frexp(largest, &exponent);
        return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
    }

    std::vector<double> units_, keep_, back_;
};

}  // namespace stiefel::detail
