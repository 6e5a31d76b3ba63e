#include "bench/spgemm.hpp"

#include "bench/cuda/commands.hpp"
#include "bench/cuda/spgemm_reference.hpp"

#include "stiefel/core/timing.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

namespace stiefel::bench {

namespace {

/// Operands on the device, copied there once.
class Uploaded {
public:
    explicit Uploaded(Cuda& backend) : backend_(backend) {}

    const DeviceCsr<double>& operator()(const HostCsr<double>& a) {
        auto& there = copies_[&a];
        if (!there) there = to_device(backend_, a);
        return *there;
    }

private:
    Cuda& backend_;
    std::map<const void*, std::optional<DeviceCsr<double>>> copies_;
};

}  // namespace

int run_cuda_spgemm(const std::vector<std::string>& arguments) {
    const Setting setting = parse_setting(arguments, {.problem = "poisson3d", .sizes = {"100"}});
    OpenMP host(setting.threads);
    Cuda backend;
    const ProductOperands operands(host, setting);
    Uploaded uploaded(backend);
    int wrong = 0;
    for (const Product& product : products(operands)) {
        Ladder ladder = product_ladder(host, product, backend.device().name);
        DeviceCsr<double> c;
        for (const auto* operand : {product.left, product.middle, product.right}) {
            if (operand != nullptr) uploaded(*operand);
        }
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
        ours.deviation = [&] { return product_deviation(host, product, to_host(backend, c)); };
        ladder.rungs.push_back(ours);
        if (product.right != nullptr) {
            ours.name = "X + X'";
            ours.run = [&] {
                return timed_as([&] {
                    return galerkin_product(backend, uploaded(*product.middle), uploaded(*product.right),
                                            uploaded(*product.left));
                });
            };
            ladder.rungs.push_back(ours);
        }
        wrong += print(ladder);
    }
    if (wrong > 0) fmt::print(stderr, "{} results are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

}  // namespace stiefel::bench
