#include "bench/suites/run_suite.hpp"

#include "bench/suites/suite_machine.hpp"
#include "bench/suites/suite_progress.hpp"

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/run_info.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/bandwidth.hpp"
#include "stiefel/core/timing.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <new>

namespace stiefel::bench {

namespace {

/// Runs a case; what it refuses is part of the record. Lets Interrupted through.
void measure(const Case& one, const Sampler& sampler, CaseRecord& record, SuiteOutcome& outcome,
             const SuiteSurroundings& surroundings) {
    const auto refuse = [&](const std::string& why) {
        record.seconds.clear();
        record.history.clear();
        record.refused = why;
    };
    try {
        one.measure(record, sampler);
    } catch (const WrongResult& problem) {
        refuse(problem.what());
        ++outcome.wrong;
        surroundings.complain(problem.what());
    } catch (const Error& problem) {
        refuse(problem.what());
    } catch (const std::bad_alloc&) {
        refuse("out of memory");
    }
    ++(record.is_measured() ? outcome.measured : outcome.refused);
}

}  // namespace

SuiteOutcome run_cases(std::vector<Case> cases, const Sampler& sampler, SuiteFile& file,
                       const SuiteSurroundings& surroundings) {
    SuiteOutcome outcome;
    // What will not be measured again lets its operands go before any is made.
    const std::size_t all = cases.size();
    std::erase_if(cases, [&](const Case& one) { return file.has(one.labels); });
    outcome.kept = all - cases.size();
    SuiteProgress progress(cases, outcome.kept);
    Stopwatch since_saved;
    try {
        for (Case& one : cases) {
            if (surroundings.stops()) throw Interrupted();
            if (surroundings.show) surroundings.show(progress.text(one));
            CaseRecord record{.labels = one.labels};
            measure(one, sampler, record, outcome, surroundings);
            one.measure = nullptr;
            file.put(std::move(record));
            progress.done(one);
            if (since_saved.seconds() < surroundings.save_interval) continue;
            file.save();
            since_saved.restart();
        }
    } catch (const Interrupted&) {
        outcome.interrupted = true;
    }
    file.save();
    return outcome;
}

namespace {

SuiteFile open_file(const Suite& suite, const SuiteOptions& options) {
    SuiteHeader header = suite_header(options);
    if (suite.libraries != nullptr) header.libraries = suite.libraries(options);
    SuiteFile file = options.restart ? SuiteFile(options.output, header) : SuiteFile::resume(options.output, header);
    file.save();  // what cannot be written is known before the work
    return file;
}

void measure_bandwidth(const SuiteOptions& options, SuiteFile& file) {
    std::optional<double> gpu;
#ifdef STIEFEL_HAS_CUDA
    if (options.backends.cuda && !file.header().machine.gpu_bandwidth) gpu = copy_bandwidth(*options.backends.cuda);
#endif
    const double before = file.header().machine.host_bandwidth;
    file.set_bandwidth(before > 0 ? before : host_copy_bandwidth(options.limit_memory), gpu);
}

std::string command_line(const SuiteOptions& options) {
    std::string line = "stiefel-bench";
    for (const std::string& word : options.command) {
        if (word != "--restart") line += ' ' + cli::shell_word(word);
    }
    return line;
}

SampleLimits sample_limits(const Suite& suite, const SuiteOptions& options) {
    SampleLimits limits = options.quick ? SampleLimits{.most = 9, .least = 7, .seconds = 0.05} : suite.samples;
    if (options.samples > 0) limits.most = limits.least = options.samples;
    return limits;
}

void print_end(const SuiteOutcome& outcome, std::size_t all, const SuiteOptions& options) {
    fmt::print("\n{}: {} measured, {} from before, {} refused\n", options.output,
               cli::counted(static_cast<Size>(outcome.measured), "case"), outcome.kept, outcome.refused);
    if (outcome.interrupted) {
        std::fflush(stdout);
        fmt::print(stderr, "stiefel-bench: interrupted, {} of {} cases are left; to go on: {}\n",
                   all - outcome.kept - outcome.measured - outcome.refused, all, command_line(options));
    }
}

}  // namespace

int run_suite(const std::vector<std::string>& arguments) {
    const cli::InterruptGuard guard;
    const SuiteOptions options = parse_suite_options(arguments);
    const Suite& suite = find_suite(options.suite);
    std::vector<Case> cases = suite.cases(options);
    SuiteFile file = open_file(suite, options);
    const std::size_t all = cases.size();

    cli::InterruptGuard::protect();
    cli::StatusLine status(false);
    status.show("measuring the bandwidth");
    measure_bandwidth(options, file);
    const auto show = [&](const std::string& text) { status.show(text); };
    const auto complain = [&](const std::string& text) {
        status.clear();
        fmt::print(stderr, "stiefel-bench: {}\n", text);
    };
    const Sampler sampler(sample_limits(suite, options), cli::InterruptGuard::requested);
    const SuiteOutcome outcome = run_cases(
        std::move(cases), sampler, file, {.stops = cli::InterruptGuard::requested, .show = show, .complain = complain});
    status.clear();
    cli::print(suite.table(file.cases(), file.header()));
    print_end(outcome, all, options);
    constexpr int by_signal = 130;  // as shells say it of SIGINT
    return outcome.interrupted ? by_signal : outcome.wrong > 0 ? 1 : 0;
}

}  // namespace stiefel::bench
