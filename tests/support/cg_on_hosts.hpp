#pragma once

#include "support/backends.hpp"

#include "stiefel/core/openmp.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace stiefel::test {

/// Of a typed suite over EveryBackendAndType.
template <class Where>
class CgOnHosts : public ::testing::Test {
protected:
    /// A tolerance that the precision can reach on small systems.
    static constexpr double rtol = std::is_same_v<typename Where::type, double> ? 1e-10 : 1e-5;

    typename Where::backend backend;
    OpenMP maker{1};
};

}  // namespace stiefel::test
