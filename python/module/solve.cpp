#include "module/arrays.hpp"
#include "module/module.hpp"
#include "module/watch.hpp"
#include "module/words.hpp"
#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/kept/kept_pairs.hpp"
#include "stiefel/cli/report/report_html.hpp"
#include "stiefel/cli/report/report_json.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace stiefel::python {

namespace {

using cli::KeptMatrix;
using cli::KeptPreconditioner;

/// How a solve ended, and what was raised on the way.
struct Solution {
    cli::KeptSolution kept;
    bool is_single = false;
    nb::object raised = nb::none();

    const cli::SolveReport& report() const { return kept.report; }
    nb::object x() const {
        const auto columns = report().columns.size();
        return array_over(is_single, kept.x, {columns, static_cast<std::size_t>(kept.size) / columns}, kept.owner);
    }
};

struct Operands {
    Place b, guess;
    Index columns = 1;
    Place coordinates;
    Index dimensions = 0;
    int exponent = 0;
};

Solution solve(const std::shared_ptr<KeptMatrix>& a, const std::vector<std::string>& words, const Operands& operands,
               nb::object m, nb::object on_iteration) {
    cli::SolveOptions options = solve_options(words);
    options.rhs = "b";
    Watch watch(std::move(on_iteration));
    options.monitor = [&](Size iteration, double residual) { return watch.goes_on(iteration, residual); };
    cli::KeptSystem system{.b = lent(operands.b),
                           .guess = lent(operands.guess),
                           .n_columns = operands.columns,
                           .exponent = operands.exponent,
                           .coordinates = points_of(operands.coordinates, operands.dimensions, options)};
    if (std::shared_ptr<KeptPreconditioner> kept; nb::try_cast(m, kept) && kept) {
        system.m.kept = std::move(kept);
    } else if (!m.is_none()) {
        system.m.function = [function = m.ptr(), keep = held(m), single = a->is_single(), n = a->n_rows(), &watch](
                                const void* r, void* z) {
            watch.call([&] { nb::handle{function}(view_of(single, r, n), view_of(single, z, n)); });
        };
    }
    Solution solution;
    solution.is_single = a->is_single();
    {
        const nb::gil_scoped_release release;
        const Stopwatch watch_of_all;
        const cli::InterruptSource source([&] { return watch.signalled(); });
        try {
            solution.kept = a->solve(options, std::move(system));
        } catch (const Watch::Raised&) {  // before there was an iterate
        }
        solution.kept.report.run = cli::this_run(words);
        solution.kept.report.seconds.total = watch_of_all.seconds();
    }
    solution.raised = watch.raised();
    return solution;
}

nb::dict facts_of(const Solution& solution) {
    const cli::SolveReport& report = solution.report();
    nb::dict facts;
    facts["reason"] = report.fault ? "failed" : std::string(to_string(report.result.reason));
    facts["evidence"] = std::string(to_string(report.result.evidence));
    facts["fault"] = report.fault ? nb::cast(report.fault->message) : nb::none();
    facts["outcome"] = outcome(report);
    facts["advice"] = advice(report);
    facts["notes"] = report.notes;
    facts["iterations"] = report.result.iterations;
    facts["residual"] = report.result.relative_residual;
    facts["history"] = report.result.history;
    facts["preconditioner"] = report.method.preconditioner;
    facts["seconds"] = report.seconds.total;
    return facts;
}

/// What `stiefel eigen` finds with CSR arrays of the host, which stay where they are until it returns.
nb::dict eigenpairs(const std::tuple<Index, Index, Size>& shape, const Place& row_ptr, bool wide_offsets,
                    const Place& col_idx, const Place& values, bool is_single, const std::vector<std::string>& words) {
    const cli::EigenCommandOptions options = eigen_options(words);
    const auto [n_rows, n_cols, nnz] = shape;
    const cli::LentCsr a{.n_rows = n_rows,
                         .n_cols = n_cols,
                         .nnz = nnz,
                         .row_ptr = lent(row_ptr).data,
                         .wide_offsets = wide_offsets,
                         .col_idx = static_cast<const Index*>(lent(col_idx).data),
                         .values = lent(values).data};
    Watch watch{nb::none()};
    cli::KeptPairs pairs;
    {
        const nb::gil_scoped_release release;
        const cli::InterruptSource source([&] { return watch.signalled(); });
        pairs = is_single ? cli::find_pairs_of<float>(a, options) : cli::find_pairs_of<double>(a, options);
    }
    const cli::EigenReport& report = pairs.report;
    nb::dict facts;
    facts["raised"] = watch.raised();
    facts["reason"] = std::string(cli::reason_word(report.result.reason));
    facts["fault"] = report.fault ? nb::cast(report.fault->message) : nb::none();
    facts["outcome"] = outcome(report);
    facts["iterations"] = report.result.iterations;
    facts["report"] = json_text(report);
    std::vector<double> found, residuals;
    std::vector<bool> converged;
    for (const EigenPair& pair : report.result.pairs) {
        found.push_back(pair.value);
        residuals.push_back(pair.residual);
        converged.push_back(pair.reason == StopReason::converged);
    }
    facts["values"] = found;
    facts["residuals"] = residuals;
    facts["converged"] = converged;
    facts["vectors"] =
        report.fault
            ? nb::none()
            : array_over(is_single, pairs.vectors,
                         {static_cast<std::size_t>(n_rows), static_cast<std::size_t>(options.count)}, pairs.owner);
    return facts;
}

}  // namespace

void add_solve(nb::module_& module) {
    nb::class_<Operands>(module, "Operands")
        .def(
            "__init__",
            [](Operands* self, const Place& b, const Place& guess, Index columns, const Place& coordinates,
               Index dimensions,
               int exponent) { new (self) Operands{b, guess, columns, coordinates, dimensions, exponent}; },
            nb::arg("b"), nb::arg("guess"), nb::arg("columns"), nb::arg("coordinates"), nb::arg("dimensions"),
            nb::arg("exponent"));
    nb::class_<Solution>(module, "Solution")
        .def_prop_ro("has_x", [](const Solution& self) { return self.kept.x != nullptr; })
        .def_prop_ro("x", &Solution::x)
        .def_prop_ro("raised", [](const Solution& self) { return self.raised; })
        .def("facts", facts_of)
        .def("json", [](const Solution& self) { return json_text(self.report()); })
        .def("page", [](const Solution& self) { return html_text(self.report()); })
        .def("short_page", [](const Solution& self) { return short_html_text(self.report()); });
    module.def("solve", solve, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
    module.def("eigenpairs", eigenpairs);
}

}  // namespace stiefel::python
