#include "module/arrays.hpp"
#include "module/module.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/io/vector_files.hpp"
#include "stiefel/problems/problem_list.hpp"
#include "stiefel/spmv/convert.hpp"
#include "stiefel/spmv/lent_csr.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stiefel::python {

namespace {

/// (n_rows, n_cols, row_ptr, col_idx, values) over arrays that they hold themselves.
nb::tuple csr_arrays(HostCsr<double> csr) {
    const auto kept = std::make_shared<HostCsr<double>>(std::move(csr));
    const auto size = [](Size n) { return static_cast<std::size_t>(n); };
    nb::object row_ptr = kept->row_ptr.visit([&](const auto* offsets) {
        using Offset = std::remove_cvref_t<decltype(*offsets)>;
        return array_over<Offset>(offsets, {size(kept->row_ptr.size())}, kept);
    });
    return nb::make_tuple(kept->n_rows, kept->n_cols, std::move(row_ptr),
                          array_over<Index>(kept->col_idx.data(), {size(kept->nnz())}, kept),
                          array_over<double>(kept->values.data(), {size(kept->nnz())}, kept));
}

nb::tuple read(const std::string& path, int threads) {
    HostCsr<double> csr;
    std::vector<std::string> notes;
    {
        const nb::gil_scoped_release release;
        OpenMP host(threads);
        MatrixMarket<double> file = read_matrix<double>(path, {.threads = host.threads()});
        notes = std::move(file.notes);
        CsrFromCoo<double> made = csr_from_coo(host, std::move(file.coo));
        csr = std::move(made.csr);
    }
    return nb::make_tuple(csr_arrays(std::move(csr)), notes);
}

nb::object read_vectors(const std::string& path, int threads) {
    DenseArray<double> array;
    {
        const nb::gil_scoped_release release;
        array = stiefel::read_vectors<double>(path, -1, {.threads = threads});
    }
    const auto kept = std::make_shared<DenseArray<double>>(std::move(array));
    return array_over<double>(kept->values.data(),
                              {static_cast<std::size_t>(kept->n_cols), static_cast<std::size_t>(kept->n_rows)}, kept);
}

void write(const std::string& path, const std::tuple<Index, Index, Size>& shape, const Place& row_ptr,
           bool wide_offsets, const Place& col_idx, const Place& values, bool is_symmetric,
           const std::vector<std::string>& comments) {
    const nb::gil_scoped_release release;
    OpenMP host;
    const auto [n_rows, n_cols, nnz] = shape;
    const auto* const columns = static_cast<const Index*>(lent(col_idx).data);
    const auto* const entries = static_cast<const double*>(lent(values).data);
    const void* const offsets = lent(row_ptr).data;
    const HostCsr<double> a =
        wide_offsets ? lent_csr(host, n_rows, n_cols, nnz, static_cast<const std::int64_t*>(offsets), columns, entries)
                     : lent_csr(host, n_rows, n_cols, nnz, static_cast<const std::int32_t*>(offsets), columns, entries);
    write_matrix(path, coo_from_csr(host, a, is_symmetric), {.threads = host.threads(), .comments = comments});
}

void write_columns(const std::string& path, Index n_rows, Index n_cols, const Place& values,
                   const std::vector<std::string>& comments) {
    const nb::gil_scoped_release release;
    const auto array = lent(values);
    write_vectors<double>(path, n_rows, n_cols,
                          {static_cast<const double*>(array.data), static_cast<std::size_t>(array.size)},
                          {.comments = comments, .allow_not_finite = true});
}

nb::tuple generate(const std::string& name, const std::vector<std::string>& sizes,
                   const std::vector<std::pair<std::string, double>>& named) {
    const Problem& problem = find_problem(name);
    ProblemArguments arguments(problem);
    arguments.set_sizes(sizes);
    for (const auto& [key, value] : named) arguments.set(key, value);
    HostCsr<double> csr;
    {
        const nb::gil_scoped_release release;
        OpenMP host;
        csr = problem.make<double>(host, arguments);
    }
    return csr_arrays(std::move(csr));
}

/// (name, description, [(parameter, is a size, meaning)])
nb::list listed_problems() {
    nb::list list;
    for (const Problem& problem : problems()) {
        nb::list parameters;
        for (const ProblemParameter& parameter : problem.parameters) {
            parameters.append(nb::make_tuple(std::string(parameter.name), parameter.kind == ParameterKind::size,
                                             std::string(parameter.meaning)));
        }
        list.append(nb::make_tuple(std::string(problem.name), std::string(problem.description), parameters));
    }
    return list;
}

}  // namespace

void add_files(nb::module_& module) {
    module.def("read", read);
    module.def("read_vectors", read_vectors);
    module.def("write", write);
    module.def("write_columns", write_columns);
    module.def("generate", generate);
    module.def("listed_problems", listed_problems);
}

}  // namespace stiefel::python
