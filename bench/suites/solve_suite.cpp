#include "bench/suites/solve_suite.hpp"

#include "bench/suites/lazy.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/scratch_folder.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"

#include "stiefel/cli/preconditioner_words.hpp"
#include "stiefel/cli/solve/solve_options.hpp"
#include "stiefel/cli/solve/solve_system.hpp"
#include "stiefel/io/matrix_market.hpp"
#include "stiefel/problems/problem_list.hpp"
#include "stiefel/spmv/convert.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::bench {

namespace {

/// A system as `stiefel solve` takes it: a file, and whether its binary copy may lie beside it.
struct SystemFile {
    std::string path;
    bool cache = false;
    std::shared_ptr<ScratchFolder> folder = {};  ///< that it lies in, where it was made
};

struct System {
    std::string name;
    double weight;
    std::shared_ptr<Lazy<SystemFile>> file;
};

struct Generated {
    const char* problem;
    const char* size;
    const char* quick_size;
};

/// One of each kind of generated positive definite systems.
constexpr Generated generated[] = {
    {"poisson2d", "500", "60"},
    {"anisotropic2d", "300", "60"},
    {"poisson3d", "60", "16"},
    {"jump_diffusion3d", "40", "12"},
    {"stencil27", "50", "12"},
    {"elasticity3d", "20", "6"},
    {"graph_laplacian", "100000", "3000"},
    {"random_spd", "100000", "3000"},
};

SystemFile write_system(const std::string& name, const std::string& size) {
    auto folder = std::make_shared<ScratchFolder>();
    OpenMP host;
    const Problem& problem = find_problem(name);
    ProblemArguments arguments(problem);
    arguments.set_sizes(std::vector<std::string>{size});
    const std::string path = folder->path() + "/" + name + ".mtx";
    write_matrix(path, coo_from_csr(host, problem.make<double>(host, arguments), true));
    return {path, true, std::move(folder)};
}

std::vector<System> systems(const SuiteOptions& options) {
    std::vector<System> list;
    if (!options.matrices.empty()) {
        for (const std::string& path : matrix_files_of(options.matrices)) {
            list.push_back({matrix_name_of(path), 1, lazy<SystemFile>([path] { return SystemFile{path}; })});
        }
        return list;
    }
    for (const Generated& g : generated) {
        const std::string size = options.quick ? g.quick_size : g.size;
        list.push_back({fmt::format("{} {}", g.problem, size), 1,
                        lazy<SystemFile>([=] { return write_system(g.problem, size); })});
    }
    return list;
}

/// How a system is solved.
struct Way {
    cli::SolverWord solver = cli::SolverWord::cg;
    Index columns = 1;
    cli::PreconditionerWord preconditioner = cli::PreconditionerWord::none;
    BackendChoice backend = BackendChoice::serial;
    int threads = 0;
    double time_limit = 0;
};

cli::SolveOptions solve_options(const Way& way, const SystemFile& system) {
    cli::SolveOptions options;
    options.matrix = system.path;
    options.cache = system.cache;
    options.rhs = fmt::format("random:{}", way.columns);
    options.solver = way.solver;
    options.preconditioner = way.preconditioner;
    options.backend = way.backend;
    options.threads = way.threads;
    options.time_limit = way.time_limit;
    options.history = "kept";  // in the report: nothing here writes it to a file
    return options;
}

/// At most 100 of them, evenly, the last included.
std::vector<std::pair<Size, double>> thinned(const std::vector<double>& residuals) {
    std::vector<std::pair<Size, double>> history;
    const auto n = static_cast<Size>(residuals.size());
    const Size step = std::max<Size>(1, (n + 99) / 100);
    for (Size i = 0; i < n; i += step) history.emplace_back(i, residuals[static_cast<std::size_t>(i)]);
    if (n > 0 && history.back().first != n - 1) history.emplace_back(n - 1, residuals.back());
    for (auto& [iteration, residual] : history) residual = six_digits(residual);
    return history;
}

/// The last solve of a case.
void note(const cli::SolveReport& report, CaseRecord& record) {
    record.set("rows", static_cast<double>(report.matrix.n_rows));
    record.set("nnz", static_cast<double>(report.matrix.nnz));
    record.set("iterations", static_cast<double>(report.result.iterations));
    record.set("setup_seconds", report.preconditioner.seconds);
    record.set("relative_residual", report.result.relative_residual);
    record.set("preconditioner_bytes", static_cast<double>(report.preconditioner.bytes));
    record.history = thinned(report.result.history);
}

/// Throws Interrupted where a signal ended it, Refused where it did not converge.
cli::SolveReport solved(const Way& way, const SystemFile& system) {
    cli::StatusLine quiet(true);
    cli::SolveReport report = cli::solve_system<double>(solve_options(way, system), quiet);
    if (report.fault) throw Refused(report.fault->message);
    if (report.result.reason == StopReason::interrupted) throw Interrupted();
    if (report.is_converged()) return report;
    throw Refused(fmt::format("not converged: {} after {} iterations, residual {:.1e}", to_string(report.result.reason),
                              report.result.iterations, report.result.relative_residual));
}

void add_way(const System& system, Way way, std::vector<Case>& cases) {
    const char* const solver = way.solver == cli::SolverWord::cg ? "cg" : "block-cg";
    const char* const backend = way.backend == BackendChoice::serial   ? "serial"
                                : way.backend == BackendChoice::openmp ? "openmp"
                                                                       : "cuda";
    Labels labels{{"matrix", system.name}, {"solver", solver}, {"columns", Size{way.columns}}};
    labels.emplace_back("preconditioner", std::string(cli::preconditioner_name(way.preconditioner)));
    labels.emplace_back("backend", backend);
    if (way.backend != BackendChoice::cuda) labels.emplace_back("threads", Size{std::max(1, way.threads)});
    const auto measure = [way, file = system.file](CaseRecord& record, const Sampler& sampler) {
        const SystemFile& there = file->get();
        cli::SolveReport report = solved(way, there);
        sampler.take(
            [&] {
                report = solved(way, there);
                return report.seconds.solve;
            },
            record.seconds);
        note(report, record);
    };
    cases.push_back({.labels = std::move(labels), .measure = measure, .weight = system.weight});
}

template <class F>
void for_ways(const SuiteOptions& options, F&& f) {
    constexpr Index block = 8;
    // Iterations that take so long are no way to solve a system of this size.
    const double time_limit = std::max(1.0, options.limit_seconds);
    for (const auto& choice : cli::preconditioner_choices()) {
        if (choice.value == cli::PreconditionerWord::automatic) continue;
        Way way{.preconditioner = choice.value, .time_limit = time_limit};
        if (options.backends.serial) f(way);
        const auto both_solvers = [&] {
            way.solver = cli::SolverWord::cg;
            way.columns = 1;
            f(way);
            way.solver = cli::SolverWord::block_cg;
            way.columns = block;
            f(way);
        };
        if (options.backends.openmp) {
            way.backend = BackendChoice::openmp;
            way.threads = *std::max_element(options.backends.threads.begin(), options.backends.threads.end());
            both_solvers();
        }
        if (options.backends.cuda) {
            way.backend = BackendChoice::cuda;
            way.threads = 0;
            both_solvers();
        }
    }
}

void add_rows(const std::string& matrix, const Records& records, TextTable& table) {
    std::string name = matrix;
    for (const CaseRecord* record : records) {
        if (!record->is_measured()) continue;
        const double seconds = record->median_seconds(), setup = record->value("setup_seconds");
        const double iterations = record->value("iterations");
        table.add({name, label_text(record->labels, "preconditioner"), label_text(record->labels, "solver"),
                   place_text(record->labels), fmt::format("{:.0f}", iterations), time_text(setup), time_text(seconds),
                   time_text(setup + seconds), fmt::format("{:.1e}", record->value("relative_residual"))});
        name = "";
    }
}

}  // namespace

std::vector<Case> solve_suite_cases(const SuiteOptions& options) {
    std::vector<Case> cases;
    for (const System& system : systems(options)) {
        for_ways(options, [&](const Way& way) { add_way(system, way, cases); });
    }
    return cases;
}

std::string solve_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    TextTable table(
        {"system", "preconditioner", "solver", "on", "iterations", "set-up", "iterating", "both", "residual"}, 4);
    const Records all = pointers(cases);
    for (const std::string& matrix : values_of(all, "matrix")) add_rows(matrix, with(all, "matrix", matrix), table);
    return "A x = b to 1e-8, b random; block-cg solves for 8 right-hand sides at once\n" +
           machine_text(header.machine) + "\n" + table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
