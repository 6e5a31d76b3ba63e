#include "bench/spgemm.hpp"

#include "bench/eigen_product.hpp"
#include "bench/setting.hpp"

#include "stiefel/core/serial.hpp"
#include "stiefel/core/timing.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

Ladder product_ladder(const Product& product, const ProductReference& reference, const std::string& where) {
    Ladder ladder;
    ladder.work.flops = reference.work().flops;
    ladder.title = fmt::format("spgemm fp64: {} of {} rows, {}", product.name, product.middle->n_rows, where);
    return ladder;
}

int run_spgemm(const std::vector<std::string>& arguments) {
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"100"}});
    Serial serial;
    OpenMP backend(setting.threads);
    const ProductOperands operands(backend, make_matrix(backend, setting));
    int wrong = 0;
    for (const Product& product : products(operands)) {
        const ProductReference reference(product);
        const EigenProduct of_eigen(product, backend.threads());
        Ladder ladder = product_ladder(product, reference, fmt::format("{} threads", backend.threads()));
        HostCsr<double> c;
        const auto timed = [](auto&& work) {
            const Stopwatch watch;
            work();
            return watch.seconds();
        };
        const auto ours = [&](auto& on) {
            Rung rung;
            rung.name = on.name;
            rung.run = [&] { return timed([&] { c = product.on_host(on); }); };
            rung.deviation = [&] { return reference.deviation(c); };
            return rung;
        };
        Rung eigen;
        eigen.name = "Eigen";
        eigen.is_reference = true;
        eigen.run = [&] { return timed([&] { of_eigen.nnz(); }); };
        ladder.rungs = {eigen, ours(serial), ours(backend)};
        wrong += print(ladder);
    }
    if (wrong > 0) fmt::print(stderr, "{} results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

}  // namespace stiefel::bench
