#include "bench/suites/product_device_cases.hpp"

#include "bench/cuda/galerkin_ways.hpp"
#include "bench/suites/cusparse_cases.hpp"

#include "stiefel/spmv/products/spgemm.hpp"

namespace stiefel::bench {

namespace {

template <class Multiply>
void add_device_product(const SuiteProduct& product, const std::shared_ptr<Cuda>& backend, std::string_view kernel,
                        Multiply multiply, std::vector<Case>& cases) {
    const auto measure = [=](CaseRecord& record, const Sampler& sampler) {
        const auto accept = [&](const DeviceCsr<double>& c) {
            check_product_of_matrices(product, to_host(*backend, c), record);
        };
        measure_device_product(product, *backend, multiply, accept, record, sampler);
    };
    cases.push_back({.labels = product_labels(product, backend_labels(*backend), kernel),
                     .measure = measure,
                     .weight = product.weight});
}

}  // namespace

void add_device_products(const SuiteProduct& product, const std::shared_ptr<Cuda>& backend, std::vector<Case>& cases) {
    const auto by_hash = [](Cuda& cuda, UploadedOperands& uploaded, const Product& of) {
        return of.run(uploaded, [&](const auto& x, const auto& y) { return spgemm(cuda, x, y); });
    };
    add_device_product(product, backend, "hash", by_hash, cases);
    if (product.has_symmetric_way) {
        for (const GalerkinWay& way : galerkin_ways) {
            const auto multiply = [way](Cuda& cuda, UploadedOperands& uploaded, const Product& of) {
                return way.multiply(cuda, uploaded(*of.middle), uploaded(*of.right), uploaded(*of.left));
            };
            add_device_product(product, backend, way.name, multiply, cases);
        }
    }
    add_cusparse_products(product, backend, cases);
}

}  // namespace stiefel::bench
