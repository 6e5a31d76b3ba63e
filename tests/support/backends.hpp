#pragma once

#include "stiefel/core/backend.hpp"

#include <gtest/gtest.h>

namespace stiefel::test {

/// One case of a typed suite: a backend and a floating-point type.
template <class B, class T>
struct On {
    using backend = B;
    using type = T;
};

using EveryBackendAndType =
    ::testing::Types<On<Serial, double>, On<Serial, float>, On<OpenMP, double>, On<OpenMP, float>>;
using EveryType = ::testing::Types<double, float>;

}  // namespace stiefel::test
