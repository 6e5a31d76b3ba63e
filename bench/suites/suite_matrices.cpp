#include "bench/suites/suite_matrices.hpp"

#include "bench/suites/stand_ins.hpp"
#include "bench/suites/suite.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/preconditioner/ssor/colouring.hpp"
#include "stiefel/problems/problem_list.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/products/spgemm.hpp"
#include "stiefel/spmv/symmetric_permutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace stiefel::bench {

namespace {

/// CSR, what it is made of or compared with, and a format with some padding.
double bytes_needed(double rows, double nnz) {
    return 48 * nnz + 64 * rows;
}

void require_size(const SuiteOptions& options, const std::string& name, double rows, Size nnz) {
    if (nnz > options.largest_nnz) {
        throw Refused(fmt::format("{} has {} nonzeros, more than --largest-nnz {}", name, cli::grouped(nnz),
                                  cli::grouped(options.largest_nnz)));
    }
    require_memory(options, bytes_needed(rows, static_cast<double>(nnz)), name);
}

HostCsr<double> read(const std::string& file, const SuiteOptions& options) {
    OpenMP host;
    HostCsr<double> a = csr_from_coo(host, read_matrix<double>(file).coo).csr;
    require_size(options, matrix_name_of(file), a.n_rows, a.nnz());
    if (a.nnz() == 0) throw Refused(file + " has no entries");
    return a;
}

std::vector<SuiteMatrix> from_folder(const SuiteOptions& options) {
    std::vector<SuiteMatrix> matrices;
    for (const std::string& file : matrix_files_of(options.matrices)) {
        constexpr double entries_a_byte = 0.05;
        matrices.push_back({.name = matrix_name_of(file),
                            .weight = 1e-6 * entries_a_byte * static_cast<double>(std::filesystem::file_size(file)),
                            .make = [=] { return read(file, options); }});
    }
    return matrices;
}

std::vector<SuiteMatrix> from_stand_ins(const SuiteOptions& options) {
    std::vector<StandIn> list(stand_ins().begin(), stand_ins().end());
    std::stable_sort(list.begin(), list.end(),
                     [](const StandIn& a, const StandIn& b) { return a.entries() < b.entries(); });
    if (options.quick) std::erase_if(list, [&](const StandIn& m) { return m.entries() > options.largest_nnz; });
    std::vector<SuiteMatrix> matrices;
    for (const StandIn& m : list) {
        matrices.push_back(
            {.name = std::string(m.name), .weight = 1e-6 * static_cast<double>(m.entries()), .make = [=] {
                 require_size(options, std::string(m.name), m.rows, m.entries());
                 OpenMP host;
                 return make_stand_in(host, m);
             }});
    }
    return matrices;
}

/// The same bits in both triangles, as a file of one triangle has them.
std::vector<SuiteMatrix> symmetric_from_folder(const SuiteOptions& options) {
    std::vector<SuiteMatrix> matrices = from_folder(options);
    for (SuiteMatrix& matrix : matrices) {
        matrix.make = [name = matrix.name, make = std::move(matrix.make)] {
            HostCsr<double> a = make();
            OpenMP host;
            const HostCsr<double> transposed = transpose(host, a);
            if (!std::ranges::equal(a.col_idx, transposed.col_idx) ||
                !std::ranges::equal(a.values, transposed.values)) {
                throw Refused(name + " is not symmetric");
            }
            return a;
        };
    }
    return matrices;
}

/// Row after row of a colour, colour after colour.
HostVector<Index> order_of_colours(const HostCsr<double>& a) {
    const ssor::Colouring colouring = ssor::greedy_colouring(a);
    HostVector<Index> order(a.n_rows);
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, {}, [&](Index i) { return colouring.colour[i]; });
    return order;
}

HostCsr<double> generate(const GeneratedMatrix& m, const std::string& size, const std::string& name,
                         const SuiteOptions& options) {
    const Problem& problem = find_problem(m.problem);
    ProblemArguments arguments(problem);
    arguments.set_sizes(std::vector<std::string>{size});
    OpenMP host;
    HostCsr<double> a = problem.make<double>(host, arguments);
    require_size(options, name, a.n_rows, a.nnz());
    return m.by_colours ? permuted(host, a, order_of_colours(a)) : std::move(a);
}

}  // namespace

std::vector<SuiteMatrix> suite_matrices(const SuiteOptions& options, std::span<const GeneratedMatrix> list) {
    if (!options.matrices.empty()) return symmetric_from_folder(options);
    std::vector<SuiteMatrix> matrices;
    for (const GeneratedMatrix& m : list) {
        const std::string size = options.quick ? m.quick_size : m.size;
        const std::string name = fmt::format("{} {}{}", m.problem, size, m.by_colours ? " by colours" : "");
        matrices.push_back({.name = name, .make = [=] { return generate(m, size, name, options); }});
    }
    return matrices;
}

std::vector<std::string> matrix_files_of(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) files.push_back(entry.path().string());
    }
    if (files.empty()) throw InvalidArgument("--matrices: there is no .mtx or .mtx.gz file in " + folder);
    std::sort(files.begin(), files.end());
    return files;
}

std::string matrix_name_of(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    return name.substr(0, name.rfind(".mtx"));
}

std::vector<SuiteMatrix> suite_matrices(const SuiteOptions& options) {
    return options.matrices.empty() ? from_stand_ins(options) : from_folder(options);
}

void require_memory(const SuiteOptions& options, double bytes, const std::string& what) {
    if (bytes <= static_cast<double>(options.limit_memory)) return;
    throw Refused(fmt::format("{} would take {}, more than the {} of --limit-memory", what,
                              format_bytes(static_cast<Size>(bytes)), format_bytes(options.limit_memory)));
}

}  // namespace stiefel::bench
