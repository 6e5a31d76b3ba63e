#include "bench/scaling/scaling.hpp"

#include "bench/scaling/scaling_table.hpp"

#include "stiefel/cli/interrupt.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/core/error.hpp"
#include "stiefel/io/output_file.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace stiefel::bench {

namespace {

using RunsByKind = std::map<std::string, RunsByRanks>;

/// Reports as they came, by kind and number of ranks.
std::string json_of(const RunsByKind& kinds) {
    std::string text;
    for (const auto& [kind, by_ranks] : kinds) {
        for (const auto& [ranks, runs] : by_ranks) {
            std::string reports;
            for (const RankedRun& run : runs) reports += (reports.empty() ? "" : ",\n") + run.report;
            text += fmt::format(R"({}{{"kind": "{}", "ranks": {}, "runs": [{}]}})", text.empty() ? "" : ",\n", kind,
                                ranks, reports);
        }
    }
    return '[' + text + "]\n";
}

RunsByKind measured(const ScalingOptions& options, cli::StatusLine& status) {
    RunsByKind runs;
    for (int round = 1; round <= options.rounds; ++round) {
        for (const std::string& kind : options.kinds) {
            for (const int ranks : options.ranks) {
                status.show(fmt::format("round {} of {}: {}, {} ranks", round, options.rounds, kind, ranks));
                runs[kind][ranks].push_back(run_on_ranks(options, kind, ranks));
            }
        }
    }
    return runs;
}

}  // namespace

int run_scaling(const std::vector<std::string>& arguments) {
    const ScalingOptions options = parse_scaling_options(arguments);
    setenv("OMP_WAIT_POLICY", "passive", 0);  // ranks may share cores
    const cli::InterruptGuard guard;
    cli::StatusLine status(false);
    RunsByKind runs;
    try {
        runs = measured(options, status);
    } catch (const Error&) {  // mpirun was asked to end as well
        if (!cli::InterruptGuard::requested()) throw;
        constexpr int by_signal = 130;  // as shells say it of SIGINT
        return by_signal;
    }
    status.clear();
    for (const std::string& kind : options.kinds) fmt::print("{}", scaling_table(options, kind, runs.at(kind)));
    if (options.json.empty()) return 0;
    OutputFile file(options.json);
    file.write(json_of(runs));
    file.commit();
    return 0;
}

}  // namespace stiefel::bench
