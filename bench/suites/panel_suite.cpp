#include "bench/suites/panel_suite.hpp"

#include "bench/blas_reference.hpp"
#include "bench/suites/blas_libraries.hpp"
#include "bench/suites/lazy.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/panel_problem.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"
#include "bench/suites/timed_calls.hpp"

#include <fmt/format.h>

namespace stiefel::bench {

namespace {

/// What one way to compute does with operands where it computes.
template <class B>
using PanelCall = std::function<void(B&, const PanelOperands<B, double>&)>;

void check_panel(PanelProblem& p, PanelOperation operation, double alpha, CaseRecord& record) {
    const Deviation found = p.check(operation, alpha);
    record.set("max_relative_error", found.largest);
    record.set("mean_relative_error", found.mean);
    if (found.accepted) return;
    throw WrongResult(fmt::format(
        "{} by {} on {}, {} x {}: a wrong result, off by {:.1e} of the sums of absolute terms", to_string(operation),
        label_text(record.labels, "kernel"), label_text(record.labels, "backend"), p.n, p.k, found.largest));
}

/// Throws Refused where the first call took longer than the limit.
void require_panel_time(double seconds, double limit) {
    if (seconds <= limit) return;
    throw Refused(fmt::format("a call takes {:.1f} s, beyond --limit-seconds {:g}", seconds, limit));
}

template <HostBackend B>
void measure_panel(B& backend, PanelProblem& p, PanelOperation operation, const PanelCall<B>& run, double alpha,
                   double limit, CaseRecord& record, const Sampler& sampler) {
    p.prepare(operation);
    const PanelOperands<B, double> operands{as_matrix(std::as_const(p.x), p.n, p.k), as_matrix(p.y, p.n, p.k),
                                            as_matrix(p.small, p.k, p.k)};
    const auto call = [&] { run(backend, operands); };
    const double first = seconds_of(backend, call);
    check_panel(p, operation, alpha, record);
    require_panel_time(first, limit);
    sampler.take(timed_calls(backend, call), record.seconds);
}

#ifdef STIEFEL_HAS_CUDA
/// Not in a graph: the product of any matrices takes memory for operands that are transposed.
void measure_panel(Cuda& backend, PanelProblem& p, PanelOperation operation, const PanelCall<Cuda>& run, double alpha,
                   double limit, CaseRecord& record, const Sampler& sampler) {
    p.prepare(operation);
    DeviceVector<double> x(backend, p.x.size()), y(backend, p.y.size()), small(backend, p.small.size());
    upload(backend, p.x, x);
    upload(backend, p.y, y);
    upload(backend, p.small, small);
    const PanelOperands<Cuda, double> operands{as_matrix(std::as_const(x), p.n, p.k), as_matrix(y, p.n, p.k),
                                               as_matrix(small, p.k, p.k)};
    const auto call = [&] { run(backend, operands); };
    const double first = seconds_of(backend, call);
    download(backend, y, p.y);
    download(backend, small, p.small);
    check_panel(p, operation, alpha, record);
    require_panel_time(first, limit);
    sampler.take([&] { return seconds_of(backend, call); }, record.seconds);
}
#endif

/// The cases of one height and width.
class PanelCases {
public:
    PanelCases(Index n, Index k, const SuiteOptions& options, std::vector<Case>& cases)
        : n_(n), k_(k), limit_(options.limit_seconds), cases_(cases), problem_(lazy<PanelProblem>([n, k, options] {
              require_memory(options, 40.0 * n * k, fmt::format("panels of {} x {}", n, k));
              return PanelProblem(n, k);
          })) {}

    template <class B>
    void add_ladder(PanelOperation operation, const std::shared_ptr<B>& backend) {
        add<B>(operation, backend, "gemm", [operation](B& b, const auto& p) { run_panel_by_gemm(b, operation, p); });
        add<B>(operation, backend, "panel", [operation](B& b, const auto& p) { run_panel(b, operation, p); });
    }

    /// A BLAS has Y = X B as it lies.
    void add_reference(PanelOperation operation, const HostBlas& blas, const std::shared_ptr<OpenMP>& backend) {
        if (operation != PanelOperation::product) return;
        const auto run = [blas](OpenMP& host, const PanelOperands<OpenMP, double>& p) {
            blas.set_threads(host.threads());
            blas.gemm(p.y.n_rows, p.y.n_cols, p.x.n_cols, p.x.data, p.small.data, p.y.data);
        };
        add<OpenMP>(operation, backend, blas.name(), run, 1);
    }

#ifdef STIEFEL_HAS_CUDA
    void add_cublas(PanelOperation operation, const std::shared_ptr<CudaBlas>& blas,
                    const std::shared_ptr<Cuda>& backend) {
        if (blas == nullptr || operation == PanelOperation::update) return;
        const auto run = [operation, blas](Cuda&, const PanelOperands<Cuda, double>& p) {
            const Index n = p.x.n_rows, k = p.x.n_cols;
            if (is_gram(operation)) {
                const double* const q = operation == PanelOperation::gram_of_one ? p.x.data : p.y.data;
                blas->gram(n, k, p.x.data, q, p.small.data);
            } else {
                blas->gemm(n, k, k, p.x.data, p.small.data, p.y.data);
            }
        };
        add<Cuda>(operation, backend, "cuBLAS", run, 1);
    }
#endif

private:
    template <class B>
    void add(PanelOperation operation, const std::shared_ptr<B>& backend, const std::string& kernel, PanelCall<B> run,
             double alpha = panel_alpha) {
        const Labels labels = joined({{"operation", to_string(operation)}, {"n", Size{n_}}, {"columns", Size{k_}}},
                                     backend_labels(*backend));
        const auto measure = [=, problem = problem_, limit = limit_](CaseRecord& record, const Sampler& sampler) {
            PanelProblem& p = problem->get();
            record.work = panel_work<double>(operation, p.n, p.k);
            record.set("rows", p.n);
            measure_panel(*backend, p, operation, run, alpha, limit, record, sampler);
        };
        cases_.push_back(
            {.labels = joined(labels, {{"kernel", kernel}}), .measure = measure, .weight = 1e-6 * n_ * k_ + 0.01});
    }

    Index n_, k_;
    double limit_;
    std::vector<Case>& cases_;
    std::shared_ptr<Lazy<PanelProblem>> problem_;
};

/// Shares of the bandwidth, a column for each width.
void add_panel_rows(const Records& here, const std::vector<std::string>& widths, const SuiteMachine& machine,
                    TextTable& table) {
    for (const std::string& kernel : values_of(here, "kernel")) {
        const Records of_kernel = with(here, "kernel", kernel);
        const Labels& labels = of_kernel.front()->labels;
        std::vector<std::string> row{label_text(labels, "n"), place_text(labels), label_text(labels, "operation"),
                                     kernel};
        for (const std::string& k : widths) {
            const CaseRecord* const record = fastest(with(of_kernel, "columns", k));
            row.push_back(record == nullptr ? "-" : percent(share_of_bandwidth(*record, machine)));
        }
        table.add(std::move(row));
    }
}

}  // namespace

Libraries panel_suite_libraries(const SuiteOptions& options) {
    return blas_libraries(options);
}

std::vector<Case> panel_suite_cases(const SuiteOptions& options) {
    using Numbers = std::vector<Index>;
    const std::vector<HostBlas> references = HostBlas::all();
#ifdef STIEFEL_HAS_CUDA
    const std::shared_ptr<CudaBlas> cublas = options.backends.cuda ? CudaBlas::open(*options.backends.cuda) : nullptr;
#endif
    std::vector<Case> cases;
    for (const Index n : options.quick ? Numbers{20000} : Numbers{100000, 1000000, 4000000}) {
        for (const Index k : options.quick ? Numbers{1, 4, 16, 64} : Numbers{1, 2, 4, 8, 16, 24, 32, 64}) {
            PanelCases size(n, k, options, cases);
            for (const PanelOperation operation : panel_operations) {
                on_host_backends(options.backends, [&]<class B>(const std::shared_ptr<B>& backend) {
                    size.add_ladder(operation, backend);
                    if constexpr (std::is_same_v<B, OpenMP>) {
                        for (const HostBlas& blas : references) size.add_reference(operation, blas, backend);
                    }
                });
#ifdef STIEFEL_HAS_CUDA
                on_device(options.backends, [&](const auto& backend) {
                    size.add_ladder(operation, backend);
                    size.add_cublas(operation, cublas, backend);
                });
#endif
            }
        }
    }
    return cases;
}

std::string panel_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    const Records all = pointers(cases);
    const std::vector<std::string> widths = values_of(all, "columns");
    std::vector<std::string> titles{"rows", "on", "product", "kernel"};
    titles.insert(titles.end(), widths.begin(), widths.end());
    TextTable table(titles, 4);
    for (const std::string& n : values_of(all, "n")) {
        const Records of_size = with(all, "n", n);
        for (const Records& here : by_place(of_size)) {
            for (const std::string& operation : values_of(here, "operation")) {
                add_panel_rows(with(here, "operation", operation), widths, header.machine, table);
            }
        }
    }
    return "Panels of 1 to 64 columns in double precision: least bytes over time as shares of a copy's rate, by "
           "columns;\n"
           "gemm: the product of any matrices, panel: the kernels of panels\n" +
           machine_text(header.machine) + "\n" + table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
