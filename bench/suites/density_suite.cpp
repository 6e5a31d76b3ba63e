#include "bench/suites/density_suite.hpp"

#include "bench/suites/gemm_calls.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/sparse_cases.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"

#include "stiefel/problems/random_csr.hpp"

namespace stiefel::bench {

namespace {

constexpr Index panel = 64;

HostCsr<double> random_matrix(Index n, double density, const SuiteOptions& options) {
    require_memory(options, (60 * density + 8) * n * n, fmt::format("a matrix of {} x {}", n, n));
    OpenMP host;
    return random_csr<double>(host, n, n, density, 1);
}

/// The same matrix with its zeros stored.
HostVector<double> dense_of(const HostCsr<double>& a) {
    HostVector<double> dense(Size{a.n_rows} * a.n_cols, 0.0);
    a.row_ptr.visit([&](const auto* row_ptr) {
        for (Index i = 0; i < a.n_rows; ++i) {
            for (Size k = row_ptr[i]; k < row_ptr[i + 1]; ++k) dense[Size{i} * a.n_cols + a.col_idx[k]] = a.values[k];
        }
    });
    return dense;
}

Labels labels_of(const char* operation, Index n, double density) {
    return {{"operation", operation}, {"n", Size{n}}, {"density", density}};
}

/// The default rung, A with its zeros stored: a dense product does not know how many there are.
void add_dense_cases(Index n, double density, const SuiteOptions& options, std::vector<Case>& cases) {
    const auto product =
        lazy<DenseProduct>([=] { return DenseProduct(n, panel, n, dense_of(random_matrix(n, density, options))); });
    const auto add = [&](const auto& backend) {
        const auto kernels = gemm_kernels<double>(*backend);
        const auto measure = [=, listed = &kernels.back()](CaseRecord& record, const Sampler& sampler) {
            record.set("rows", n);
            measure_gemm(*backend, *listed, {}, product->get(), options.limit_seconds, record, sampler);
        };
        Labels labels = joined(labels_of("gemm", n, density), {{"columns", Size{panel}}});
        labels = joined(std::move(labels), backend_labels(*backend));
        cases.push_back(
            {.labels = joined(std::move(labels),
                              {{"format", "dense"}, {"kernel", fmt::format("dense/{}", kernels.back().name)}}),
             .measure = measure,
             .weight = 1e-6 * n * n});
    };
    on_host_backends(options.backends, add);
    on_device(options.backends, add);
}

const CaseRecord* best_of(const Records& records, const char* operation, const std::string& density) {
    return fastest(with(with(records, "operation", operation), "density", density));
}

void add_row(const std::string& n, const std::string& density, const Records& records, const SuiteMachine& machine,
             TextTable& table) {
    const CaseRecord* const spmv = best_of(records, "spmv", density);
    const CaseRecord* const spmm = best_of(records, "spmm", density);
    const CaseRecord* const gemm = best_of(records, "gemm", density);
    const auto seconds = [](const CaseRecord* record) { return record == nullptr ? 0 : record->median_seconds(); };
    const auto kernel = [](const CaseRecord* record) {
        return record == nullptr ? "-" : label_text(record->labels, "kernel");
    };
    table.add({n, density, kernel(spmv), kernel(spmm), time_text(seconds(spmv)),
               spmv == nullptr ? "-" : giga(flops_per_second(*spmv)),
               spmv == nullptr ? "-" : percent(share_of_bandwidth(*spmv, machine)), time_text(seconds(spmm)),
               spmm == nullptr ? "-" : giga(flops_per_second(*spmm)), time_text(seconds(gemm)),
               gemm == nullptr ? "-" : giga(flops_per_second(*gemm)),
               seconds(spmm) > 0 ? times(seconds(gemm) / seconds(spmm)) : "-"});
}

}  // namespace

std::vector<Case> density_suite_cases(const SuiteOptions& options) {
    const std::vector<Index> sizes =
        options.quick ? std::vector<Index>{512, 1024} : std::vector<Index>{512, 1024, 2048, 4096, 8192};
    const std::vector<double> densities =
        options.quick ? std::vector{0.001, 0.01, 0.1, 0.5}
                      : std::vector{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5};
    std::vector<Case> cases;
    for (const Index n : sizes) {
        for (const double density : densities) {
            const auto make = [=] { return random_matrix(n, density, options); };
            const double weight = 1e-6 * density * n * n;
            add_spmv_cases({labels_of("spmv", n, density), weight, make}, FormatRange::one_each, options.backends,
                           cases);
            add_spmm_cases({labels_of("spmm", n, density), weight, make}, {panel}, FormatRange::one_each,
                           options.backends, cases);
            add_dense_cases(n, density, options, cases);
        }
    }
    return cases;
}

std::string density_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    TextTable table({"n", "density", "spmv by", "spmm by", "spmv", "GFLOP/s", "of copy", "spmm", "GFLOP/s", "gemm",
                     "GFLOP/s", "gemm/spmm"},
                    4);
    const Records all = pointers(cases);
    for (const std::string& n : values_of(all, "n")) {
        const Records of_size = with(all, "n", n);
        for (const std::string& density : values_of(of_size, "density")) {
            add_row(n, density, of_size, header.machine, table);
        }
    }
    return fmt::format(
               "A random, n x n: y = A x, Y = A X and the dense Y = A X, panels of {} columns, each by its fastest "
               "rung.\n"
               "GFLOP/s of gemm count the zeros. gemm/spmm: above 1 the sparse product is faster\n",
               panel) +
           machine_text(header.machine) + "\n" + table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
