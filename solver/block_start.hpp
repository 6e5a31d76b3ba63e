#pragma once

#include "stiefel/core/multivector.hpp"
#include "stiefel/dense/panel.hpp"
#include "stiefel/dense/panel_rows.hpp"

#include <cmath>
#include <string>

namespace stiefel {

/// n x k random numbers, uniform in (-1, 1) and fixed by the seed: a start block for eigensolvers.
template <class T, class B>
MultivectorOf<B, T> random_multivector(B& backend, Index n, Index k, std::uint64_t seed = 1) {
    auto x = make_multivector<T>(backend, n, k);
    random_panel<B, T>(backend, seed, x.view());
    return x;
}

/// Throws InvalidArgument naming the first column of a start block that holds a NaN or infinity.
template <class B, class T>
void check_start_block(B& backend, const char* method, MatrixView<const T, typename B::memory> x) {
    auto products = make_vector<double>(backend, Size{x.n_cols} * x.n_cols);
    gram<T>(backend, x, x, as_matrix(products, x.n_cols, x.n_cols));
    HostVector<double> on_host(products.size());
    download(backend, products, on_host);
    for (Index j = 0; j < x.n_cols; ++j) {
        if (std::isfinite(on_host[j * x.n_cols + j])) continue;
        throw InvalidArgument(std::string(method) + ": column " + std::to_string(j + 1) +
                              " of the start block holds a NaN or infinity, or overflows when squared");
    }
}

}  // namespace stiefel
