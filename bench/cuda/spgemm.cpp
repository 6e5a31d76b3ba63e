#include "bench/spgemm.hpp"

#include "bench/cuda/commands.hpp"
#include "bench/cuda/galerkin_ways.hpp"
#include "bench/cuda/spgemm_reference.hpp"
#include "bench/cuda/uploaded_operands.hpp"
#include "bench/setting.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <fmt/format.h>

#include <memory>

namespace stiefel::bench {

int run_cuda_spgemm(const std::vector<std::string>& arguments) {
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"100"}});
    OpenMP host(setting.threads);
    Cuda backend;
    const ProductOperands operands(host, make_matrix(host, setting));
    UploadedOperands uploaded(backend);
    int wrong = 0;
    for (const Product& product : products(operands)) {
        const ProductReference reference(product);
        Ladder ladder = product_ladder(product, reference, backend.device().name);
        DeviceCsr<double> c;
        uploaded.take(product);
        const auto timed_as = [&](auto&& make) {
            backend.synchronize();
            const Stopwatch watch;
            c = make();
            backend.synchronize();
            return watch.seconds();
        };
        const auto timed = [&](auto&& multiply) { return timed_as([&] { return product.run(uploaded, multiply); }); };
        for (const auto algorithm : CusparseSpgemm::all) {
            Rung rung;
            rung.name = CusparseSpgemm::name(algorithm);
            rung.is_reference = true;
            const auto cusparse = std::make_shared<CusparseSpgemm>(backend, algorithm);
            rung.run = [&, cusparse] {
                return timed([&](const auto& x, const auto& y) { return cusparse->multiply(x, y); });
            };
            ladder.rungs.push_back(rung);
        }
        Rung ours;
        ours.name = "hash";
        ours.run = [&] { return timed([&](const auto& x, const auto& y) { return spgemm(backend, x, y); }); };
        ours.deviation = [&] { return reference.deviation(to_host(backend, c)); };
        ladder.rungs.push_back(ours);
        if (product.right != nullptr) {
            for (const GalerkinWay& way : galerkin_ways) {
                ours.name = way.name;
                ours.run = [&] {
                    return timed_as([&] {
                        return way.multiply(backend, uploaded(*product.middle), uploaded(*product.right),
                                            uploaded(*product.left));
                    });
                };
                ladder.rungs.push_back(ours);
            }
        }
        wrong += print(ladder);
    }
    if (wrong > 0) fmt::print(stderr, "{} results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

}  // namespace stiefel::bench
