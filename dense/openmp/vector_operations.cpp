#include "stiefel/dense/vector_operations.hpp"
#include "stiefel/core/block_dot.hpp"
#include "stiefel/core/blocks.hpp"

#include <cmath>

namespace stiefel {

template <class T>
void copy(OpenMP& backend, const HostVector<T>& x, HostVector<T>& y) {
    require(x.size() == y.size(), "copy: x and y differ in size");
    for_each_block(backend, x.size(), 2 * x.bytes(), [from = x.data(), to = y.data()](Size begin, Size end) {
        std::copy(from + begin, from + end, to + begin);
    });
}

template <class T>
void fill(OpenMP& backend, T value, HostVector<T>& x) {
    for_each_block(backend, x.size(), x.bytes(),
                   [value, to = x.data()](Size begin, Size end) { std::fill(to + begin, to + end, value); });
}

template <class T>
void scale(OpenMP& backend, int exponent, HostVector<T>& x) {
    for_each_block(backend, x.size(), 2 * x.bytes(), [exponent, v = x.data()](Size begin, Size end) {
        for (Size i = begin; i < end; ++i) v[i] = std::ldexp(v[i], exponent);
    });
}

template <class T>
double dot(OpenMP& backend, const HostVector<T>& x, const HostVector<T>& y) {
    require(x.size() == y.size(), "dot: x and y differ in size");
    const T* u = x.data();
    const T* v = y.data();
    const auto sums = sum_over_blocks<1>(backend, x.size(), 2 * x.bytes(), [u, v](Size begin, Size end) {
        return std::array{block_dot(u + begin, v + begin, static_cast<Index>(end - begin))};
    });
    return all_sum(backend, sums[0]);
}

template <class T>
double max_abs(OpenMP& backend, const HostVector<T>& x) {
    const Size n_blocks = (x.size() + reduction_block - 1) / reduction_block;
    double* partials = backend.partials(n_blocks);
    for_each_block(backend, x.size(), x.bytes(), [&x, partials](Size begin, Size end) {
        double largest = 0;
        for (Size i = begin; i < end && !std::isnan(largest); ++i) {
            const double magnitude = std::abs(static_cast<double>(x[i]));
            if (!(magnitude <= largest)) largest = magnitude;
        }
        partials[begin / reduction_block] = largest;
    });
    double largest = 0;
    for (Size block = 0; block < n_blocks && !std::isnan(largest); ++block) {
        if (!(partials[block] <= largest)) largest = partials[block];
    }
    all_max(backend, &largest, 1);
    return largest;
}

template struct VectorOperations<OpenMP, double>;
template struct VectorOperations<OpenMP, float>;

}  // namespace stiefel
