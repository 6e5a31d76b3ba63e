#pragma once

namespace stiefel::cuda {

/// What thread 0 of a block of a resident loop tells the others of what was decided.
template <class T>
struct Verdict {
    T alpha;
    T x_alpha;  // the same in units of x
    T beta;
    bool stop;
};

}  // namespace stiefel::cuda
