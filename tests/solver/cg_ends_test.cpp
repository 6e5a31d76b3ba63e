#include "support/cg_ends.hpp"
#include "support/backends.hpp"

#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

namespace stiefel::test {
namespace {

/// The same matrix as an operator of one's own: no fused product, nothing that the library knows of it.
template <class T>
struct Unknown {
    const HostCsr<T>& a;
};
template <class B, class T>
void spmv(B& backend, const Unknown<T>& unknown, const HostVector<T>& x, HostVector<T>& y, T alpha, T beta) {
    spmv(backend, unknown.a, x, y, alpha, beta);
}

template <class Case>
class CgEnds : public ::testing::Test {
protected:
    using Scalar = typename Case::type;

    auto solver() {
        return [this](const HostCsr<Scalar>& a, const HostVector<Scalar>& inverse_diagonal, const HostVector<Scalar>& b,
                      HostVector<Scalar>& x, const CgOptions& options) {
            if (inverse_diagonal.empty()) return cg(backend, a, b, x, options);
            return cg(backend, a, HostJacobi<Scalar>{inverse_diagonal.clone()}, b, x, options);
        };
    }

    typename Case::backend backend;
};
TYPED_TEST_SUITE(CgEnds, EveryBackendAndType);

TYPED_TEST(CgEnds, LateEndsAreNamed) {
    for (const int copies : {1, 41}) check_late_ends<typename TypeParam::type>(copies, this->solver());
}

TYPED_TEST(CgEnds, LateEndsOfAnOwnOperatorAreNamed) {
    using T = typename TypeParam::type;
    check_late_ends<T>(1, [&](const HostCsr<T>& a, const HostVector<T>&, const HostVector<T>& b, HostVector<T>& x,
                              const CgOptions& options) { return cg(this->backend, Unknown<T>{a}, b, x, options); });
}

TYPED_TEST(CgEnds, AnOwnOperatorEndsWhenItIsAsked) {
    using T = typename TypeParam::type;
    OpenMP maker(1);
    const HostCsr<T> a = poisson1d<T>(maker, 500);
    const auto ends = [&](const CgOptions& options) {
        HostVector<T> x(500, T{0});
        return cg(this->backend, Unknown<T>{a}, random_vector<T>(500, 3), x, options);
    };
    const SolveResult stopped =
        ends({.rtol = 0, .monitor = [](const CgProgress& progress) { return progress.iteration < 7; }});
    EXPECT_EQ(stopped.reason, StopReason::interrupted);
    EXPECT_EQ(stopped.iterations, 7);
    EXPECT_EQ(ends({.rtol = 0, .time_limit = 0}).reason, StopReason::time_limit);
}

TYPED_TEST(CgEnds, AnOverflowOnTheWayIsNoEnd) {
    if constexpr (std::is_same_v<typename TypeParam::type, double>) check_overflow_on_the_way(this->solver());
}

TYPED_TEST(CgEnds, SystemsOfAllSizesAreSolved) {
    check_sizes_of_a_and_b<typename TypeParam::type>(this->solver());
}

TYPED_TEST(CgEnds, TheWidestDiagonalIsNotCalledIndefinite) {
    if constexpr (std::is_same_v<typename TypeParam::type, double>) check_widest_diagonal(this->solver());
}

TYPED_TEST(CgEnds, EvidenceIsToldApart) {
    check_evidence<typename TypeParam::type>(this->solver());
}

TYPED_TEST(CgEnds, WhatComesBackIsNotWorseThanTheGuess) {
    check_the_better_x<typename TypeParam::type>(this->solver());
}

}  // namespace
}  // namespace stiefel::test
