#include "module/arrays.hpp"
#include "module/function_cg.hpp"
#include "module/module.hpp"
#include "module/watch.hpp"
#include "module/words.hpp"
#include "stiefel/solver/stop_reason.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

namespace stiefel::python {

namespace {

using cli::HostFunction;
using cli::KeptM;
using cli::KeptMatrix;
using cli::KeptPreconditioner;

/// A function of Python as solvers call it: f(r, z) writes to z.
HostFunction host_function(nb::object function, bool is_single, Size n, Watch& watch) {
    if (function.is_none()) return {};
    return [kept = held(function), function = function.ptr(), is_single, n, &watch](const void* r, void* z) {
        watch.call([&] { nb::handle{function}(view_of(is_single, r, n), view_of(is_single, z, n)); });
    };
}

/// None, a Preconditioner of the module, or a function.
KeptM preconditioner_of(nb::object m, bool is_single, Size n, Watch& watch) {
    if (std::shared_ptr<KeptPreconditioner> kept; nb::try_cast(m, kept) && kept) return {.kept = std::move(kept)};
    return {.function = host_function(std::move(m), is_single, n, watch)};
}

struct Budget {
    double rtol, atol;
    Size max_iterations;
    bool history;
};

CgOptions cg_options(const Budget& budget, Watch& watch) {
    return {.rtol = budget.rtol,
            .atol = budget.atol,
            .max_iterations = budget.max_iterations,
            .history = budget.history,
            .monitor = [&watch](const CgProgress& progress) {
                return watch.goes_on(progress.iteration, progress.relative_residual);
            }};
}

/// Runs a solve without Python's lock. What a function raised ends it; the watch has it.
template <class Result, class Solve>
Result unlocked(Solve&& solve) {
    const nb::gil_scoped_release release;
    try {
        return solve();
    } catch (const Watch::Raised&) {
        Result result;
        result.reason = StopReason::interrupted;
        return result;
    }
}

template <class Result>
nb::dict facts_of(const Result& result, const Watch& watch) {
    nb::dict facts;
    facts["reason"] = std::string(to_string(result.reason));
    facts["iterations"] = result.iterations;
    facts["seconds"] = result.seconds;
    facts["history"] = result.history;
    facts["raised"] = watch.raised();
    return facts;
}

template <class Result>
nb::dict cg_facts(const Result& result, const Watch& watch) {
    nb::dict facts = facts_of(result, watch);
    facts["evidence"] = std::string(to_string(result.evidence));
    facts["residual"] = result.relative_residual;
    return facts;
}

nb::dict cg(const std::shared_ptr<KeptMatrix>& a, const Place& b, const Place& x, nb::object m, const Budget& budget,
            nb::object on_iteration) {
    Watch watch(std::move(on_iteration));
    const KeptM of_m = preconditioner_of(std::move(m), a->is_single(), a->n_rows(), watch);
    const auto result = unlocked<SolveResult>([&] { return a->cg(lent(b), lent(x), of_m, cg_options(budget, watch)); });
    return cg_facts(result, watch);
}

nb::dict cg_of_functions(nb::object a, const Place& b, const Place& x, bool is_single, nb::object m,
                         const Budget& budget, nb::object on_iteration) {
    Watch watch(std::move(on_iteration));
    const Size n = std::get<1>(b);
    const HostFunction of_a = host_function(std::move(a), is_single, n, watch);
    const HostFunction of_m = host_function(std::move(m), is_single, n, watch);
    const auto result = unlocked<SolveResult>([&] {
        return is_single ? function_cg<float>(of_a, of_m, lent(b), lent(x), cg_options(budget, watch))
                         : function_cg<double>(of_a, of_m, lent(b), lent(x), cg_options(budget, watch));
    });
    return cg_facts(result, watch);
}

nb::dict block_cg(const std::shared_ptr<KeptMatrix>& a, const Place& b, const Place& x, Index columns, nb::object m,
                  const Budget& budget, nb::object on_iteration) {
    Watch watch(std::move(on_iteration));
    const KeptM of_m = preconditioner_of(std::move(m), a->is_single(), a->n_rows(), watch);
    const auto result = unlocked<BlockSolveResult>(
        [&] { return a->block_cg(lent(b), lent(x), columns, of_m, cg_options(budget, watch)); });
    nb::dict facts = cg_facts(result, watch);
    std::vector<std::string> reasons;
    std::vector<double> residuals;
    for (const ColumnResult& column : result.columns) {
        reasons.emplace_back(to_string(column.reason));
        residuals.push_back(column.relative_residual);
    }
    facts["reasons"] = reasons;
    facts["residuals"] = residuals;
    return facts;
}

nb::dict pair_facts(const EigenResult& result, const Watch& watch) {
    nb::dict facts = facts_of(result, watch);
    std::vector<double> values, residuals;
    std::vector<std::string> reasons;
    for (const EigenPair& pair : result.pairs) {
        values.push_back(pair.value);
        residuals.push_back(pair.residual);
        reasons.emplace_back(to_string(pair.reason));
    }
    facts["values"] = values;
    facts["residuals"] = residuals;
    facts["reasons"] = reasons;
    return facts;
}

nb::dict lobpcg(const std::shared_ptr<KeptMatrix>& a, const Place& x, Index columns, nb::object m, bool largest,
                double rtol, Size max_iterations, nb::object on_iteration) {
    Watch watch(std::move(on_iteration));
    const KeptM of_m = preconditioner_of(std::move(m), a->is_single(), a->n_rows(), watch);
    const EigenOptions how{.which = largest ? EigenEnd::largest : EigenEnd::smallest,
                           .rtol = rtol,
                           .max_iterations = max_iterations,
                           .history = true,
                           .monitor = [&](const EigenProgress& progress) {
                               return watch.goes_on(progress.iteration, progress.relative_residual);
                           }};
    const auto result = unlocked<EigenResult>([&] { return a->lobpcg(lent(x), columns, of_m, how); });
    return pair_facts(result, watch);
}

}  // namespace

void add_solvers(nb::module_& module) {
    nb::class_<Budget>(module, "Budget")
        .def(
            "__init__",
            [](Budget* self, double rtol, double atol, Size max_iterations, bool history) {
                new (self) Budget{rtol, atol, max_iterations, history};
            },
            nb::arg("rtol"), nb::arg("atol"), nb::arg("max_iterations"), nb::arg("history"));
    module.def("cg", cg, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none());
    module.def("cg_of_functions", cg_of_functions, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
               nb::arg(), nb::arg().none());
    module.def("block_cg", block_cg, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
               nb::arg().none());
    module.def("lobpcg", lobpcg, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(),
               nb::arg().none());
}

}  // namespace stiefel::python
