#include "module/arrays.hpp"
#include "module/module.hpp"
#include "module/words.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/preconditioner/details.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

namespace stiefel::python {

namespace {

using cli::KeptMatrix;
using cli::KeptPreconditioner;

using Shape = std::tuple<Index, Index, Size>;

/// CSR arrays that `owner` holds, on the backend and in the format that the words say.
std::shared_ptr<KeptMatrix> keep(const Shape& shape, const Place& row_ptr, bool wide_offsets, const Place& col_idx,
                                 const Place& values, bool is_single, const std::vector<std::string>& words,
                                 std::uintptr_t stream, nb::object owner) {
    const cli::SolveOptions options = solve_options(words);
    const auto [n_rows, n_cols, nnz] = shape;
    const cli::LentCsr a{.n_rows = n_rows,
                         .n_cols = n_cols,
                         .nnz = nnz,
                         .row_ptr = lent(row_ptr).data,
                         .wide_offsets = wide_offsets,
                         .col_idx = static_cast<const Index*>(lent(col_idx).data),
                         .values = lent(values).data,
                         .on_device = lent(values).on_device,
                         .keep_alive = held(std::move(owner))};
    const cli::KeptChoice choice{.backend = cli::backend_options(options),
                                 .stream = reinterpret_cast<void*>(stream),
                                 .format = std::string(options.format),
                                 .kernel = options.kernel};
    const nb::gil_scoped_release release;
    return is_single ? cli::keep_matrix<float>(a, choice) : cli::keep_matrix<double>(a, choice);
}

nb::dict about(const KeptMatrix& a) {
    KeptMatrix::About about;
    {
        const nb::gil_scoped_release release;
        about = a.about();
    }
    nb::dict facts;
    facts["backend"] = about.backend;
    facts["device"] = about.device;
    facts["threads"] = about.threads;
    facts["format"] = about.format;
    facts["kernel"] = about.kernel;
    facts["why"] = about.why;
    facts["nnz"] = about.nnz;
    facts["bytes"] = about.bytes;
    facts["convert_seconds"] = about.convert_seconds;
    return facts;
}

void multiply(KeptMatrix& a, const Place& x, const Place& y, Index columns) {
    const nb::gil_scoped_release release;
    a.multiply(lent(x), lent(y), columns);
}

void apply(KeptPreconditioner& m, const Place& r, const Place& z, Index columns) {
    const nb::gil_scoped_release release;
    m.apply(lent(r), lent(z), columns);
}

std::shared_ptr<KeptPreconditioner> make_preconditioner(KeptMatrix& a, const std::vector<std::string>& words,
                                                        const Place& coordinates, Index dimensions) {
    cli::SolveOptions options = solve_options(words);
    const nb::gil_scoped_release release;
    return a.preconditioner(options, points_of(coordinates, dimensions, options));
}

}  // namespace

DenseArray<double> points_of(const Place& place, Index dimensions, cli::SolveOptions& options) {
    if (dimensions == 0) return {};
    options.amg.coordinates = "coordinates";
    const auto array = lent(place);
    return {static_cast<Index>(array.size / dimensions), dimensions,
            HostVector<double>::lent(static_cast<double*>(array.data), array.size).clone()};
}

void add_matrices(nb::module_& module) {
    nb::class_<KeptMatrix>(module, "Matrix")
        .def_prop_ro("n_rows", &KeptMatrix::n_rows)
        .def_prop_ro("n_cols", &KeptMatrix::n_cols)
        .def_prop_ro("is_single", &KeptMatrix::is_single)
        .def("about", about)
        .def("multiply", multiply)
        .def("preconditioner", make_preconditioner);
    nb::class_<KeptPreconditioner>(module, "KeptPreconditioner")
        .def_prop_ro("name", &KeptPreconditioner::name)
        .def_prop_ro("setup_seconds", &KeptPreconditioner::setup_seconds)
        .def_prop_ro("summary", [](const KeptPreconditioner& m) { return summary(m.details()); })
        .def_prop_ro("bytes", [](const KeptPreconditioner& m) { return m.details().bytes; })
        .def("apply", apply);
    module.def("keep", keep);
    module.def("names_of_solve_options", names_of_solve_options);
}

}  // namespace stiefel::python
