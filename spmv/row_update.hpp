#pragma once

namespace stiefel {

/// y = alpha sum + beta y for one row; beta = 0 does not read y.
template <class T>
inline void update_row(T& y, T sum, T alpha, T beta) {
    y = beta == T{0} ? alpha * sum : alpha * sum + beta * y;
}

}  // namespace stiefel
