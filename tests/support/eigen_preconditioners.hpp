#pragma once

#include "stiefel/preconditioner/list.hpp"
#include "stiefel/spmv/choose.hpp"
#include "support/eigen_suite.hpp"

namespace stiefel::test {

/// Every preconditioner of the list in LOBPCG: the pairs are right, and one that is more than pointwise saves
/// iterations.
template <class T, class B>
void check_listed_preconditioners(B& backend) {
    OpenMP maker(1);
    const Index k = 4;
    const double rtol = eigen_rtol<T>;
    const HostCsr<T> host = poisson2d<T>(maker, 40, 31);
    const auto exact = at_end(poisson2d_eigenvalues(40, 31), EigenEnd::smallest, k);
    const EigenOptions options{.rtol = rtol};
    Size plain = 0;
    for (const auto& entry : preconditioners<B, T>) {
        SCOPED_TRACE(std::string(entry.name));
        const auto csr = brought(backend, host);
        const auto prepared = entry.prepare(backend, csr);
        const auto a =
            choose_operator<B, T>(backend, brought(backend, host), row_statistics(maker, host), {.columns = k}).a;
        const auto chosen = prepared(backend, a, block_columns(host.n_rows, k, options));
        auto x = make_multivector<T>(backend, host.n_rows, k);
        upload(backend, random_start<T>(host.n_rows, k), x.values());
        Eigenpairs<T> found{std::visit([&](const auto& m) { return lobpcg(backend, a, m, x, options); }, chosen),
                            HostVector<T>(x.values().size())};
        download(backend, x.values(), found.vectors);
        EXPECT_TRUE(is_eigenbasis(host, found, exact, 8, rtol));
        if (entry.name == "none") plain = found.result.iterations;
        const bool is_pointwise = !std::holds_alternative<AnyPreconditioner<B, T>>(chosen);
        if (entry.name == "ssor") {
            // With two colours the condition is a quarter of A's in the limit and no less: half the iterations.
            EXPECT_LE(found.result.iterations, 3 * plain / 5);
        } else if (entry.name == "block-jacobi") {
            // Pieces of lines: couplings across the lines stay, so that the condition is half of A's and no less.
            EXPECT_LE(found.result.iterations, 9 * plain / 10);
        } else {
            EXPECT_LE(found.result.iterations, is_pointwise ? plain + plain / 10 : plain / 2);
        }
        if (entry.name == "amg") {
            EXPECT_LE(found.result.iterations, 30);
        }
    }
}

}  // namespace stiefel::test
