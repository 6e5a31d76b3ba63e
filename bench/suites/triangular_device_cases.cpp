#include "bench/suites/cusparse_cases.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/timed_calls.hpp"
#include "bench/suites/triangular_cases.hpp"

#include "stiefel/preconditioner/triangular/device_solve.hpp"
#include "stiefel/preconditioner/triangular/triangle_shape.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace stiefel::bench {

namespace {

using TriangularRung = triangular::TriangularKernel<double>;

/// Of a rung that its own estimate gives up: powers of rows that long would be full, or errors grow too much.
void require_made_for(const TriangularRung& kernel, const triangular::TriangleShape& shape) {
    if (std::isfinite(kernel.seconds(shape))) return;
    throw Refused(fmt::format("{} is not made for triangles with {} entries in a row and errors that grow {:.1e} times",
                              kernel.name, shape.longest_row, shape.growth));
}

void measure_device_rung(const TriangularOperand& operand, Cuda& backend, const TriangularRung& kernel,
                         const triangular::TriangleShape& shape, CaseRecord& record, const Sampler& sampler) {
    describe_triangular(operand, record);
    require_made_for(kernel, shape);
    const auto& triangles = operand.triangles->get();
    { const triangular::DeviceSolve<double> first(backend, triangles, &kernel); }  // loads what it needs
    backend.synchronize();
    const Stopwatch watch;
    const triangular::DeviceSolve<double> solve(backend, triangles, &kernel);
    backend.synchronize();
    record.set("prepare_seconds", watch.seconds());
    const Index n = solve.n_rows();
    DeviceVector<double> r(backend, n), z(backend, n);
    upload(backend, operand.system->get().r(), r);
    HostVector<double> found(n, std::numeric_limits<double>::quiet_NaN());
    upload(backend, found, z);
    const auto call = [&] { solve.run(backend, as_matrix(std::as_const(r), n, 1), as_matrix(z, n, 1)); };
    call();
    download(backend, z, found);
    check_triangular(operand, found, std::pow(kernel.expansion.error_growth(shape.growth), 2), record);
    sampler.take(timed_calls(backend, call), record.seconds);
}

}  // namespace

void add_device_triangular(const TriangularOperand& operand, const std::shared_ptr<Cuda>& backend,
                           std::vector<Case>& cases) {
    const auto shape = lazy<triangular::TriangleShape>(
        [triangles = operand.triangles] { return triangular::shape_of(triangles->get()); });
    Size step = 0;
    for (const TriangularRung& kernel : triangular::triangular_kernels<double>()) {
        const Labels labels = joined(operand.labels, backend_labels(*backend));
        const auto measure = [=, listed = &kernel](CaseRecord& record, const Sampler& sampler) {
            measure_device_rung(operand, *backend, *listed, shape->get(), record, sampler);
        };
        cases.push_back({.labels = joined(labels, {{"kernel", std::string(kernel.name)}, {"step", ++step}}),
                         .measure = measure,
                         .weight = operand.weight});
    }
    add_cusparse_triangular(operand, backend, cases);
}

}  // namespace stiefel::bench
