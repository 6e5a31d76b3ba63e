#include "bench/suites/transpose_suite.hpp"

#include "bench/operands.hpp"
#include "bench/suites/lazy.hpp"
#include "bench/suites/on_backends.hpp"
#include "bench/suites/record_groups.hpp"
#include "bench/suites/suite_matrices.hpp"
#include "bench/suites/text_table.hpp"
#include "bench/suites/timed_calls.hpp"

#include "stiefel/dense/transpose_kernels.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cstring>

namespace stiefel::bench {

namespace {

struct Operands {
    Index n;
    HostVector<double> a, b;
};

using SharedOperands = std::shared_ptr<Lazy<Operands>>;

/// Exact or wrong: a transpose does not round.
void check(const HostVector<double>& a, const HostVector<double>& b, Index n, const CaseRecord& record) {
    for (Size i = 0; i < n; ++i) {
        for (Size j = 0; j < n; ++j) {
            if (b[j * n + i] == a[i * n + j]) continue;
            throw WrongResult(fmt::format("transpose {} on {}: element ({}, {}) is wrong",
                                          label_text(record.labels, "kernel"), label_text(record.labels, "backend"), j,
                                          i));
        }
    }
}

template <HostBackend B>
void measure(B& backend, const TransposeKernel<B, double>& kernel, Operands& p, CaseRecord& record,
             const Sampler& sampler) {
    const auto call = [&] { kernel.run(backend, as_matrix(std::as_const(p.a), p.n, p.n), as_matrix(p.b, p.n, p.n)); };
    std::fill(p.b.begin(), p.b.end(), std::numeric_limits<double>::quiet_NaN());
    call();
    check(p.a, p.b, p.n, record);
    sampler.take(timed_calls(backend, call), record.seconds);
}

#ifdef STIEFEL_HAS_CUDA
void measure(Cuda& backend, const TransposeKernel<Cuda, double>& kernel, Operands& p, CaseRecord& record,
             const Sampler& sampler) {
    DeviceVector<double> a(backend, p.a.size()), b(backend, p.b.size());
    upload(backend, p.a, a);
    backend.zero_bytes(b.data(), b.bytes());
    const auto call = [&] { kernel.run(backend, as_matrix(std::as_const(a), p.n, p.n), as_matrix(b, p.n, p.n)); };
    call();
    download(backend, b, p.b);
    check(p.a, p.b, p.n, record);
    sampler.take([&] { return seconds_of(backend, call); }, record.seconds);
}
#endif

/// A copy of the same bytes: no transpose is faster.
void measure_copy(int threads, Operands& p, CaseRecord& record, const Sampler& sampler) {
    OpenMP backend(threads);
    const auto call = [&] {
#pragma omp parallel num_threads(threads)
        {
            const Size all = p.a.size(), parts = omp_get_num_threads(), part = omp_get_thread_num();
            const Size begin = all * part / parts, end = all * (part + 1) / parts;
            std::memcpy(p.b.data() + begin, p.a.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(double));
        }
    };
    call();
    sampler.take(timed_calls(backend, call), record.seconds);
}

void measure_copy(const Serial&, Operands& p, CaseRecord& record, const Sampler& sampler) {
    measure_copy(1, p, record, sampler);
}
void measure_copy(const OpenMP& backend, Operands& p, CaseRecord& record, const Sampler& sampler) {
    measure_copy(backend.threads(), p, record, sampler);
}

#ifdef STIEFEL_HAS_CUDA
void measure_copy(Cuda& backend, Operands& p, CaseRecord& record, const Sampler& sampler) {
    DeviceVector<double> a(backend, p.a.size()), b(backend, p.a.size());
    upload(backend, p.a, a);
    const auto call = [&] { backend.copy_bytes(b.data(), a.data(), a.bytes()); };
    call();
    sampler.take([&] { return seconds_of(backend, call); }, record.seconds);
}
#endif

template <class B>
void add_steps(Index n, const SharedOperands& operands, const std::shared_ptr<B>& backend, std::vector<Case>& cases) {
    const auto add = [&](std::string_view kernel, Size step, auto run) {
        const Labels labels = joined({{"n", Size{n}}}, backend_labels(*backend));
        const auto with_work = [=](CaseRecord& record, const Sampler& sampler) {
            record.work = transpose_work<double>(n, n);
            run(operands->get(), record, sampler);
        };
        cases.push_back({.labels = joined(labels, {{"kernel", std::string(kernel)}, {"step", step}}),
                         .measure = with_work,
                         .weight = static_cast<double>(n) * n});
    };
    add("copy", 0, [backend](Operands& p, CaseRecord& record, const Sampler& sampler) {
        measure_copy(*backend, p, record, sampler);
    });
    Size step = 0;
    for (const auto& kernel : transpose_kernels<double>(*backend)) {
        add(kernel.name, ++step, [backend, listed = &kernel](Operands& p, CaseRecord& record, const Sampler& sampler) {
            measure(*backend, *listed, p, record, sampler);
        });
    }
}

void add_rows(const Records& steps, TextTable& table) {
    const CaseRecord* const copy = fastest(with(steps, "kernel", "copy"));
    double first = 0, above = 0;
    for (const CaseRecord* record : steps) {
        const double seconds = record->median_seconds();
        const bool is_step = label_number(record->labels, "step") > 0;
        if (is_step && first == 0) first = seconds;
        table.add({label_text(record->labels, "n"), place_text(record->labels), label_text(record->labels, "kernel"),
                   time_text(seconds), giga(seconds > 0 ? record->work->bytes / seconds : 0),
                   copy != nullptr && seconds > 0 ? percent(copy->median_seconds() / seconds) : "-",
                   is_step && seconds > 0 ? times(above / seconds) : "-",
                   is_step && seconds > 0 ? times(first / seconds) : "-"});
        if (is_step && seconds > 0) above = seconds;
    }
}

}  // namespace

std::vector<Case> transpose_suite_cases(const SuiteOptions& options) {
    std::vector<Case> cases;
    const std::vector<Index> sizes =
        options.quick ? std::vector<Index>{1024, 2048} : std::vector<Index>{1024, 2048, 4096, 8192};
    for (const Index n : sizes) {
        const auto operands = lazy<Operands>([n, options] {
            require_memory(options, 16.0 * n * n, fmt::format("a transpose of {} x {}", n, n));
            OpenMP host;
            return Operands{n, random_vector<double>(host, Size{n} * n, 1), make_vector<double>(host, Size{n} * n)};
        });
        const auto add = [&](const auto& backend) { add_steps(n, operands, backend, cases); };
        on_host_backends(options.backends, add);
        on_device(options.backends, add);
    }
    return cases;
}

std::string transpose_suite_table(const std::vector<CaseRecord>& cases, const SuiteHeader& header) {
    TextTable table({"n", "on", "step", "time", "GB/s", "of copy", "of the step before", "of the first"}, 3);
    const Records all = pointers(cases);
    for (const std::string& n : values_of(all, "n")) {
        for (const Records& here : by_place(with(all, "n", n))) add_rows(here, table);
    }
    return "B = A', n x n in double precision: what each step brings\n" + machine_text(header.machine) + "\n" +
           table.text() + refusals_text(cases);
}

}  // namespace stiefel::bench
