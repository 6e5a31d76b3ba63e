#pragma once

#include "stiefel/preconditioner/triangular/kernel_list.hpp"

namespace stiefel::triangular {

/// A substitution as kernels see it.
template <class T>
struct Rows {
    Index n;
    Index k;
    const Index* source_of;
    const Index* row_of;
    const Size* start;
    const Index* cols;
    const T* values;
    const T* inverse;
    const T* source;
    Size source_ld;
    T* x;
    T* result;
    Size result_ld;
    const Size* early_start;
    const Index* early_cols;
    const T* early_values;

    explicit Rows(const Substitution<T>& s)
        : n(s.a->n_rows()),
          k(s.k),
          source_of(s.a->source.data()),
          row_of(s.a->row.data()),
          start(s.a->start.data()),
          cols(s.a->cols.data()),
          values(s.a->values.data()),
          inverse(s.a->inverse.data()),
          source(s.source),
          source_ld(s.source_ld),
          x(s.x),
          result(s.result),
          result_ld(s.result_ld),
          early_start(s.a->early_start.data()),
          early_cols(s.a->early_cols.data()),
          early_values(s.a->early_values.data()) {}

    /// The right-hand side over the diagonal.
    __device__ T rhs(Index place, Index c) const { return source[source_of[place] * source_ld + c] * inverse[place]; }

    __host__ __device__ Size n_elements() const { return Size{n} * k; }
    __device__ Size at(Index place, Index c) const { return Size{place} * k + c; }

    __device__ void store_result(Index place, Index c, T value) const {
        if (result != nullptr) result[(row_of != nullptr ? row_of[place] : place) * result_ld + c] = value;
    }
};

}  // namespace stiefel::triangular
