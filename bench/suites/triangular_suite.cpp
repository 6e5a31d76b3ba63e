#include "bench/suites/triangular_suite.hpp"

#include "bench/suites/cusparse_cases.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"
#include "bench/suites/timed_calls.hpp"
#include "bench/suites/triangular_cases.hpp"

#include "stiefel/preconditioner/triangular/level_solve.hpp"

#include <fmt/format.h>

#include <limits>

namespace stiefel::bench {

namespace {

/// From many short levels to two long ones; rows of 3 to 40 entries in L.
constexpr GeneratedMatrix triangular_matrices[] = {
    {"poisson2d", "1000", "120"},     {"poisson3d", "100", "24"},  {"poisson3d", "100", "24", true},
    {"jump_diffusion3d", "80", "20"}, {"elasticity3d", "30", "8"}, {"graph_laplacian", "200000", "5000"},
};

/// solve(r, z) on the host: checked, then timed.
template <class B, class Solve>
void measure_triangular(const TriangularOperand& operand, B& backend, Solve&& solve, CaseRecord& record,
                        const Sampler& sampler) {
    const TriangularSystem<double>& system = operand.system->get();
    HostVector<double> z(system.n(), std::numeric_limits<double>::quiet_NaN());
    const auto call = [&] { solve(system.r(), z); };
    call();
    check_triangular(operand, z, 1, record);
    sampler.take(timed_calls(backend, call), record.seconds);
}

/// The substitution of textbooks, one thread.
void add_substitution(const TriangularOperand& operand, const std::shared_ptr<Serial>& backend,
                      std::vector<Case>& cases) {
    const auto measure = [=](CaseRecord& record, const Sampler& sampler) {
        describe_triangular(operand, record);
        const auto& factor = operand.system->get().factor();
        measure_triangular(
            operand, *backend, [&](const auto& r, auto& z) { substitute(factor, r, z); }, record, sampler);
    };
    cases.push_back({.labels = joined(joined(operand.labels, backend_labels(*backend)), {{"kernel", "substitution"}}),
                     .measure = measure,
                     .weight = operand.weight});
}
void add_substitution(const TriangularOperand&, const std::shared_ptr<OpenMP>&, std::vector<Case>&) {}

/// What the host's preconditioners solve with.
template <class B>
void add_level_solve(const TriangularOperand& operand, int threads, const std::shared_ptr<B>& backend,
                     std::vector<Case>& cases) {
    const auto measure = [=](CaseRecord& record, const Sampler& sampler) {
        describe_triangular(operand, record);
        const Stopwatch watch;
        const triangular::LevelSolve<double> levels(operand.system->get().triangles(threads), threads);
        record.set("prepare_seconds", watch.seconds());
        const Index n = levels.n_rows();
        measure_triangular(
            operand, *backend, [&](const auto& r, auto& z) { levels.run(as_matrix(r, n, 1), as_matrix(z, n, 1)); },
            record, sampler);
    };
    cases.push_back({.labels = joined(joined(operand.labels, backend_labels(*backend)), {{"kernel", "levels"}}),
                     .measure = measure,
                     .weight = operand.weight});
}

TriangularOperand triangular_operand(const SuiteMatrix& matrix, const SuiteOptions& options) {
    const auto system = lazy<TriangularSystem<double>>([=] {
        const HostCsr<double> a = matrix.make();
        require_memory(options, 100.0 * static_cast<double>(a.nnz()), "the triangles of " + matrix.name);
        return TriangularSystem<double>(a);
    });
    const auto triangles = lazy<triangular::LevelTriangles<double>>([system] { return system->get().triangles(); });
    return {{{"matrix", matrix.name}}, matrix.weight, system, triangles};
}

void add_triangular_rows(const Records& here, TextTable& table) {
    double first = 0;
    for (const CaseRecord* record : here) {
        const double seconds = record->median_seconds();
        if (!(seconds > 0)) continue;
        if (first == 0) first = seconds;
        const double levels = record->value("levels");
        table.add({label_text(record->labels, "matrix"), place_text(record->labels),
                   label_text(record->labels, "kernel"), fmt::format("{}", static_cast<Size>(levels)),
                   time_text(seconds), time_text(seconds / (2 * levels)), giga(record->work->bytes / seconds),
                   times(first / seconds), time_text(record->value("prepare_seconds"))});
    }
}

}  // namespace

void describe_triangular(const TriangularOperand& operand, CaseRecord& record) {
    const TriangularSystem<double>& system = operand.system->get();
    record.work = system.work();
    record.set("rows", system.n());
    record.set("nnz", static_cast<double>(system.factor().nonzeros()));
    record.set("levels", operand.triangles->get().lower.n_levels());
}

void check_triangular(const TriangularOperand& operand, const HostVector<double>& z, double grown, CaseRecord& record) {
    const Deviation found = operand.system->get().deviation(z, grown);
    record.set("max_relative_error", found.largest);
    record.set("mean_relative_error", found.mean);
    if (found.accepted) return;
    throw WrongResult(fmt::format("{}: {} on {} gives a wrong result, L L' z is off by {:.1e} of |L| |L'| |z|",
                                  label_text(record.labels, "matrix"), label_text(record.labels, "kernel"),
                                  label_text(record.labels, "backend"), found.largest));
}

std::vector<Case> triangular_suite_cases(const SuiteOptions& options) {
    std::vector<Case> cases;
    for (const SuiteMatrix& matrix : suite_matrices(options, triangular_matrices)) {
        const TriangularOperand operand = triangular_operand(matrix, options);
        on_host_backends(options.backends, [&](const auto& backend) {
            add_substitution(operand, backend, cases);
            const Labels labels = backend_labels(*backend);
            add_level_solve(operand, static_cast<int>(label_number(labels, "threads")), backend, cases);
        });
        on_device(options.backends, [&](const auto& backend) { add_device_triangular(operand, backend, cases); });
    }
    return cases;
}

Libraries triangular_suite_libraries(const SuiteOptions& options) {
    return cusparse_libraries(options);
}

std::string triangular_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    TextTable table({"matrix", "on", "rung", "levels", "time", "a level", "GB/s", "of the first", "preparation"}, 3);
    const Records all = pointers(cases);
    for (const std::string& matrix : values_of(all, "matrix")) {
        const Records of_matrix = with(all, "matrix", matrix);
        for (const Records& here : by_place(of_matrix)) add_triangular_rows(here, table);
    }
    return "z = L^-T L^-1 r with the factor of IC(0), in double precision: what each rung brings\n" +
           machine_text(header.machine) + "\n" + table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
