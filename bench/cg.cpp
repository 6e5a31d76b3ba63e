#include "bench/cg.hpp"

#include "bench/comparison.hpp"
#include "bench/eigen_reference.hpp"
#include "bench/setting.hpp"
#include "stiefel/solver/cg.hpp"
#include "stiefel/spmv/choose.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/spmv.hpp"
#include "stiefel/spmv/spmv_work.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiefel::bench {

namespace {

/// Iterations of a timed call. It also computes b - A x before the first and after the last, which they are charged
/// with; none of the problems converges so soon.
constexpr int timed_iterations = 30;

/// The minimum of one iteration in CSR: 12 nnz + 84 n bytes in double.
Work iteration_work(const HostCsr<double>& a) {
    Work total = spmv_work(a);
    for (const Work& part :
         {cg_update_work<double>(a.n_rows, Identity{}), cg_direction_work<double>(a.n_rows, Identity{})}) {
        total.bytes += part.bytes;
        total.flops += part.flops;
    }
    return total;
}

/// Both must have done the same iterations before their times count.
template <class A>
void check_agreement(OpenMP& backend, const EigenReference& eigen, const A& a, const HostVector<double>& b) {
    auto x = make_vector<double>(backend, a.n_rows);
    auto y = make_vector<double>(backend, a.n_rows);
    cg(backend, a, b, x, {.rtol = 0, .max_iterations = timed_iterations});
    eigen.cg(b, y, timed_iterations);
    double difference = 0;
    for (Index i = 0; i < a.n_rows; ++i) difference = std::max(difference, std::abs(x[i] - y[i]));
    const double scale = max_abs(backend, y);
    if (!(difference <= 1e-8 * scale)) {
        throw Error(
            fmt::format("after {} iterations the solutions differ by {} of {}", timed_iterations, difference, scale));
    }
}

}  // namespace

int run_cg(const std::vector<std::string>& arguments) {
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"160"}});
    OpenMP backend(setting.threads);
    const ReadProbe probe = read_probe(backend.threads());
    const HostCsr<double> a = make_matrix(backend, setting);
    const EigenReference eigen(a, backend.threads());
    auto b = make_vector<double>(backend, a.n_rows);
    for (Index i = 0; i < a.n_rows; ++i) b[i] = std::sin(1.0 + i);  // all eigenvectors take part
    const HostSell<double> sell = sell_from_csr(backend, a, sell_slice_height, 1);
    check_agreement(backend, eigen, a, b);
    check_agreement(backend, eigen, sell, b);

    auto x = make_vector<double>(backend, a.n_rows);
    auto y = make_vector<double>(backend, a.n_rows);
    const auto ours = [&](const auto& matrix) {
        return [&, operand = &matrix] {
            fill(backend, 0.0, x);
            cg(backend, *operand, b, x, {.rtol = 0, .max_iterations = timed_iterations});
        };
    };
    const auto theirs = [&] {
        fill(backend, 0.0, y);
        eigen.cg(b, y, timed_iterations);
    };
    const Work work = iteration_work(a);
    run({.job = "cg iteration",
         .problem = describe(setting, a, backend.threads()),
         .contenders = {{.name = "stiefel csr", .run = ours(a), .work = work, .jobs = timed_iterations},
                        {.name = "stiefel sell", .run = ours(sell), .work = work, .jobs = timed_iterations},
                        {.name = "eigen", .run = theirs, .work = work, .jobs = timed_iterations, .is_reference = true}},
         .bandwidth = &probe});
    return 0;
}

}  // namespace stiefel::bench
