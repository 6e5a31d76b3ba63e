// Preconditions with two steps of damped Jacobi, M = 2 w D^-1 - w^2 D^-1 A D^-1, which the library has not got. CG asks
// of a preconditioner only a `precondition` in its own namespace: Z = M R for a panel of columns, M symmetric and
// positive.
#include "stiefel/core/backend.hpp"
#include "stiefel/preconditioner/jacobi.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/spmm.hpp"
#include "stiefel/spmv/spmv.hpp"

#include <iostream>

namespace mine {

using stiefel::Index;
using Panel = stiefel::MatrixOf<stiefel::OpenMP, double>;
using ConstPanel = stiefel::MatrixOf<stiefel::OpenMP, const double>;

class TwoSteps {
public:
    TwoSteps(stiefel::OpenMP& backend, const stiefel::HostCsr<double>& a)
        : a_(a), diagonal_(make_jacobi(backend, a)), room_(a.n_rows) {}

    friend void precondition(stiefel::OpenMP& backend, const TwoSteps& m, ConstPanel r, Panel z) {
        constexpr double w = 0.66;  // M is positive while w times the spectrum of D^-1 A stays below 2
        const Panel product{m.room_.data(), r.n_rows, 1, 1};  // of one column: enough for cg
        for (Index i = 0; i < r.n_rows; ++i) z.data[i * z.ld] = w * m.inverse(i) * r.data[i * r.ld];
        spmm(backend, m.a_, z, product, 1.0, 0.0);
        for (Index i = 0; i < r.n_rows; ++i) {
            z.data[i * z.ld] += w * m.inverse(i) * (r.data[i * r.ld] - product.data[i]);
        }
    }

private:
    double inverse(Index i) const { return diagonal_.inverse_diagonal[i]; }

    const stiefel::HostCsr<double>& a_;
    stiefel::HostJacobi<double> diagonal_;
    mutable stiefel::HostVector<double> room_;
};

}  // namespace mine

int main() {
    using namespace stiefel;
    OpenMP backend;
    const HostCsr<double> a = jump_diffusion3d<double>(backend, 30, 30, 30, {.contrast = 1e3});
    const HostVector<double> b(a.n_rows, 1.0);
    HostVector<double> x(a.n_rows, 0.0), y(a.n_rows, 0.0);

    const SolveResult jacobi = cg(backend, a, make_jacobi(backend, a), b, x);
    const SolveResult two_steps = cg(backend, a, mine::TwoSteps(backend, a), b, y);
    std::cout << "Jacobi:    " << to_string(jacobi.reason) << " in " << jacobi.iterations << " iterations\n"
              << "two steps: " << to_string(two_steps.reason) << " in " << two_steps.iterations << " iterations\n";
    return two_steps.reason == StopReason::converged && 3 * two_steps.iterations < 2 * jacobi.iterations ? 0 : 1;
}
