#include "bench/spgemm.hpp"

#include "bench/eigen_reference.hpp"
#include "bench/operands.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiefel::bench {

namespace {

/// Terms that are added up: an entry of A brings the row of B with the number of its column.
double terms(const HostCsr<double>& a, const HostCsr<double>& b) {
    return b.row_ptr.visit([&](const auto* row_ptr) {
        double sum = 0;
        for (const Index j : a.col_idx.span()) sum += static_cast<double>(row_ptr[j + 1] - row_ptr[j]);
        return sum;
    });
}

HostCsr<double> absolute_of(OpenMP& backend, const HostCsr<double>& a) {
    HostCsr<double> result{.n_rows = a.n_rows, .n_cols = a.n_cols, .values = absolute(backend, a.values)};
    result.col_idx = a.col_idx.clone();
    a.row_ptr.visit([&]<class Offset>(const Offset* row_ptr) {
        HostVector<Offset> offsets(a.row_ptr.size());
        std::copy_n(row_ptr, offsets.size(), offsets.begin());
        result.row_ptr = RowOffsets<HostMemory>(std::move(offsets));
    });
    return result;
}

HostCsr<double> on_host(OpenMP& backend, const Product& product) {
    return product.run([](const HostCsr<double>& m) -> const HostCsr<double>& { return m; },
                       [&](const auto& x, const auto& y) { return spgemm(backend, x, y); });
}

}  // namespace

ProductOperands::ProductOperands(OpenMP& backend, const Setting& setting) : a(make_matrix(backend, setting)) {
    const amg::Strength is_strong(backend, a);
    p = amg::smoothed_prolongation(backend, a, is_strong, amg::greedy_aggregates(a, is_strong));
    r = transpose(backend, p);
}

std::vector<Product> products(const ProductOperands& operands) {
    return {{"A A", &operands.a, &operands.a}, {"P'(A P)", &operands.r, &operands.a, &operands.p}};
}

Ladder product_ladder(OpenMP& backend, const Product& product, const std::string& where) {
    Ladder ladder;
    const HostCsr<double>& m = *product.middle;
    if (product.right == nullptr) {
        ladder.work.flops = 2 * terms(*product.left, m);
    } else {
        ladder.work.flops = 2 * terms(m, *product.right);
        ladder.work.flops += 2 * terms(*product.left, spgemm(backend, m, *product.right));
    }
    ladder.title = fmt::format("spgemm fp64: {} of {} rows, {}", product.name, m.n_rows, where);
    return ladder;
}

Deviation product_deviation(OpenMP& backend, const Product& product, const HostCsr<double>& found) {
    const HostCsr<double> exact = on_host(backend, product);
    const HostCsr<double> sums = product.run([&](const HostCsr<double>& m) { return absolute_of(backend, m); },
                                             [&](const auto& x, const auto& y) { return spgemm(backend, x, y); });
    const bool same_pattern = found.nnz() == exact.nnz() && std::ranges::equal(found.col_idx, exact.col_idx);
    if (!same_pattern) return {.largest = std::numeric_limits<double>::infinity(), .accepted = false};
    return deviation(found.values, exact.values, sums.values, 200);
}

int run_spgemm(const std::vector<std::string>& arguments) {
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"100"}});
    OpenMP backend(setting.threads);
    const ProductOperands operands(backend, setting);
    const EigenReference a(operands.a, backend.threads()), p(operands.p, backend.threads());
    int wrong = 0;
    for (const Product& product : products(operands)) {
        Ladder ladder = product_ladder(backend, product, fmt::format("{} threads", backend.threads()));
        HostCsr<double> c;
        const auto timed = [](auto&& work) {
            const Stopwatch watch;
            work();
            return watch.seconds();
        };
        Rung ours, eigen;
        ours.name = "openmp";
        ours.run = [&] { return timed([&] { c = on_host(backend, product); }); };
        ours.deviation = [&] { return product_deviation(backend, product, c); };
        eigen.name = "Eigen";
        eigen.is_reference = true;
        eigen.run = [&] { return timed([&] { product.right == nullptr ? a.multiply(a) : a.multiply_inside(p); }); };
        ladder.rungs = {eigen, ours};
        wrong += print(ladder);
    }
    if (wrong > 0) fmt::print(stderr, "{} results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

}  // namespace stiefel::bench
