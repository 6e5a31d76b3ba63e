#pragma once

#include "stiefel/core/types.hpp"

namespace stiefel::cuda {

/// sum and value[e] v[col[e]] of every stride-th entry from `from` on, before `end`, some at once. They are counted by
/// nothing but comparisons: for a number of turns the distance would be divided by the stride, which takes as long
/// as the products of a short row. there: an element of v to be read where there is no entry.
template <class T, class Col>
__device__ T add_strip(T sum, const T* value, const Col* col, const T* v, Index from, Index end, Index stride,
                       Index there) {
    constexpr int at_once = 4;
    for (Index e = from; e < end; e += at_once * stride) {
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
            const Index at = e + j * stride;
            sum += (at < end ? value[at] : T{0}) * v[at < end ? static_cast<Index>(col[at]) : there];
        }
    }
    return sum;
}

}  // namespace stiefel::cuda
