#pragma once

#include "bench/cuda/uploaded_operands.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/product_cases.hpp"

#include "stiefel/core/timing.hpp"

namespace stiefel::bench {

/// multiply(backend, uploaded, product) on a device: timed by the host's clock, as it waits for the size of the result.
/// accept(found) throws where the result of the first call is wrong.
template <class Multiply, class Accept>
void measure_device_product(const SuiteProduct& product, Cuda& backend, Multiply&& multiply, Accept&& accept,
                            CaseRecord& record, const Sampler& sampler) {
    describe_product_of_matrices(product, record);
    const Product of = product.get();
    UploadedOperands uploaded(backend);
    uploaded.take(of);
    DeviceCsr<double> c;
    const auto timed = [&] {
        backend.synchronize();
        const Stopwatch watch;
        c = multiply(backend, uploaded, of);
        backend.synchronize();
        return watch.seconds();
    };
    timed();
    accept(c);
    sampler.take(timed, record.seconds);
}

}  // namespace stiefel::bench
