#include "stiefel/dense/vector_operations.hpp"

#include <cmath>

namespace stiefel {

template <class T>
void copy(Serial&, const HostVector<T>& x, HostVector<T>& y) {
    require(x.size() == y.size(), "copy: x and y differ in size");
    for (Size i = 0; i < x.size(); ++i) y[i] = x[i];
}

template <class T>
void fill(Serial&, T value, HostVector<T>& x) {
    for (Size i = 0; i < x.size(); ++i) x[i] = value;
}

template <class T>
void scale(Serial&, int exponent, HostVector<T>& x) {
    for (Size i = 0; i < x.size(); ++i) x[i] = std::ldexp(x[i], exponent);
}

template <class T>
double dot(Serial& backend, const HostVector<T>& x, const HostVector<T>& y) {
    require(x.size() == y.size(), "dot: x and y differ in size");
    double sum = 0;
    for (Size i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * y[i];
    return all_sum(backend, sum);
}

template <class T>
double max_abs(Serial& backend, const HostVector<T>& x) {
    double largest = 0;
    for (Size i = 0; i < x.size(); ++i) {
        const double magnitude = std::abs(static_cast<double>(x[i]));
        if (!(magnitude <= largest)) largest = magnitude;
        if (std::isnan(largest)) break;
    }
    all_max(backend, &largest, 1);
    return largest;
}

template struct VectorOperations<Serial, double>;
template struct VectorOperations<Serial, float>;

}  // namespace stiefel
