#include "bench/suites/product_suite.hpp"

#include "bench/eigen_product.hpp"
#include "bench/suites/cusparse_cases.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/product_cases.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"
#include "bench/suites/timed_calls.hpp"

#include "stiefel/spmv/products/spgemm.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

/// Rows of 5 to 81 entries, short and long ones side by side in the last.
constexpr GeneratedMatrix product_matrices[] = {
    {"poisson2d", "1000", "100"},
    {"poisson3d", "100", "20"},
    {"stencil27", "64", "12"},
    {"elasticity3d", "24", "6"},
    {"graph_laplacian", "200000", "3000"},
};

/// multiply(product) on the host: checked, then timed.
template <class Multiply>
void add_host_product(const SuiteProduct& product, const std::shared_ptr<OpenMP>& backend, std::string_view kernel,
                      Multiply multiply, std::vector<Case>& cases) {
    const auto measure = [=](CaseRecord& record, const Sampler& sampler) {
        describe_product_of_matrices(product, record);
        const Product of = product.get();
        HostCsr<double> c;
        const auto call = [&] { c = multiply(*backend, of); };
        call();
        check_product_of_matrices(product, c, record);
        sampler.take(timed_calls(*backend, call), record.seconds);
    };
    cases.push_back({.labels = product_labels(product, backend_labels(*backend), kernel),
                     .measure = measure,
                     .weight = product.weight});
}

/// Its number of nonzeros is all that there is to check.
void add_eigen_product(const SuiteProduct& product, const std::shared_ptr<OpenMP>& backend, std::vector<Case>& cases) {
    const auto measure = [=](CaseRecord& record, const Sampler& sampler) {
        describe_product_of_matrices(product, record);
        const EigenProduct eigen(product.get(), backend->threads());
        const auto call = [&] { eigen.nnz(); };
        call();
        sampler.take(timed_calls(*backend, call), record.seconds);
    };
    cases.push_back({.labels = product_labels(product, backend_labels(*backend), "Eigen"),
                     .measure = measure,
                     .weight = product.weight});
}

void add_host_products(const SuiteProduct& product, const std::shared_ptr<OpenMP>& backend, std::vector<Case>& cases) {
    add_host_product(
        product, backend, "by rows", [](OpenMP& host, const Product& of) { return of.on_host(host); }, cases);
    if (product.has_symmetric_way) {
        const auto symmetric = [](OpenMP& host, const Product& of) {
            return galerkin_product(host, *of.middle, *of.right, *of.left);
        };
        add_host_product(product, backend, "X + X'", symmetric, cases);
    }
    add_eigen_product(product, backend, cases);
}
void add_host_products(const SuiteProduct&, const std::shared_ptr<Serial>&, std::vector<Case>&) {}

std::vector<SuiteProduct> products_of(const SuiteMatrix& matrix, const SuiteOptions& options) {
    const auto operands = lazy<ProductOperands>([=] {
        HostCsr<double> a = matrix.make();
        OpenMP host;
        ProductOperands made(host, std::move(a));
        // An entry has a value and a column, and the sums of all and of absolute terms are held beside the result.
        const double terms = terms_of_product(made.a, made.a);
        require_memory(options, 48.0 * terms, "products of " + matrix.name);
        return made;
    });
    const char* const names[] = {"A A", "P'(A P)"};
    std::vector<SuiteProduct> list;
    for (std::size_t i = 0; i < std::size(names); ++i) {
        const auto reference = lazy<ProductReference>([=] { return ProductReference(products(operands->get())[i]); });
        list.push_back({.labels = {{"matrix", matrix.name}, {"operation", names[i]}},
                        .weight = matrix.weight,
                        .operands = operands,
                        .reference = reference,
                        .number = i,
                        .has_symmetric_way = i == 1});
    }
    return list;
}

void add_product_rows(const Records& here, TextTable& table) {
    double first = 0;
    for (const CaseRecord* record : here) {
        const double seconds = record->median_seconds();
        if (!(seconds > 0)) continue;
        if (first == 0) first = seconds;
        table.add({label_text(record->labels, "matrix"), label_text(record->labels, "operation"),
                   place_text(record->labels), label_text(record->labels, "kernel"), time_text(seconds),
                   giga(flops_per_second(*record)), times(first / seconds)});
    }
}

}  // namespace

Labels product_labels(const SuiteProduct& product, const Labels& backend, std::string_view kernel) {
    return joined(joined(product.labels, backend), {{"kernel", std::string(kernel)}});
}

void describe_product_of_matrices(const SuiteProduct& product, CaseRecord& record) {
    const ProductReference& reference = product.reference->get();
    const HostCsr<double>& a = product.operands->get().a;
    record.work = reference.work();
    record.set("rows", a.n_rows);
    record.set("nnz", static_cast<double>(a.nnz()));
    record.set("product_nnz", static_cast<double>(reference.nnz()));
}

void check_product_of_matrices(const SuiteProduct& product, const HostCsr<double>& found, CaseRecord& record) {
    const Deviation off = product.reference->get().deviation(found);
    record.set("max_relative_error", off.largest);
    record.set("mean_relative_error", off.mean);
    if (off.accepted) return;
    throw WrongResult(fmt::format("{}: {} by {} on {} is wrong, off by {:.1e} of the sums of absolute terms",
                                  label_text(record.labels, "matrix"), label_text(record.labels, "operation"),
                                  label_text(record.labels, "kernel"), label_text(record.labels, "backend"),
                                  off.largest));
}

std::vector<Case> product_suite_cases(const SuiteOptions& options) {
    if (!options.backends.openmp && !options.backends.cuda) {
        throw InvalidArgument("suite products: the serial backend has no such product; --backend openmp --threads 1");
    }
    std::vector<Case> cases;
    for (const SuiteMatrix& matrix : suite_matrices(options, product_matrices)) {
        for (const SuiteProduct& product : products_of(matrix, options)) {
            on_host_backends(options.backends,
                             [&](const auto& backend) { add_host_products(product, backend, cases); });
            on_device(options.backends, [&](const auto& backend) { add_device_products(product, backend, cases); });
        }
    }
    return cases;
}

Libraries product_suite_libraries(const SuiteOptions& options) {
    return cusparse_libraries(options);
}

std::string product_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    TextTable table({"matrix", "product", "on", "kernel", "time", "GFLOP/s", "of the first"}, 4);
    const Records all = pointers(cases);
    for (const std::string& matrix : values_of(all, "matrix")) {
        const Records of_matrix = with(all, "matrix", matrix);
        for (const std::string& operation : values_of(of_matrix, "operation")) {
            const Records of_product = with(of_matrix, "operation", operation);
            for (const Records& here : by_place(of_product)) add_product_rows(here, table);
        }
    }
    return "Sparse times sparse in double precision, P a smoothed prolongation: two flops a term\n" +
           machine_text(header.machine) + "\n" + table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
