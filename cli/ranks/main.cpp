// stiefel-mpi: the program as one of several ranks that solve together. In a process that is alone, it is `stiefel`.
#include "stiefel/cli/computing_command.hpp"
#include "stiefel/cli/program.hpp"
#include "stiefel/cli/ranks/agreement.hpp"
#include "stiefel/cli/ranks/end_all.hpp"
#include "stiefel/cli/ranks/rank_eigen.hpp"
#include "stiefel/cli/ranks/rank_info.hpp"
#include "stiefel/cli/ranks/rank_options.hpp"
#include "stiefel/cli/ranks/rank_solve.hpp"
#include "stiefel/cli/report/report_html.hpp"
#include "stiefel/cli/report/report_json.hpp"
#include "stiefel/cli/report/report_text.hpp"
#include "stiefel/cli/terminal/terminal.hpp"
#include "stiefel/cli/waiting.hpp"
#include "stiefel/core/kept_memory.hpp"
#include "stiefel/world/mpi/mpi_ranks.hpp"

namespace stiefel::cli {

namespace {

/// What goes wrong in this rank alone ends all; of a RankFault all know.
template <class Command>
ExitCode ending_all(MpiRanks& ranks, Command&& command) {
    try {
        return command();
    } catch (const RankFault&) {
        throw;
    } catch (const std::exception& problem) {
        end_all(ranks, problem);
    }
}

ExitCode solve(MpiRanks& ranks, const SolveOptions& asked, const RunInfo& run) {
    const SolveOptions options = options_of_rank(asked, ranks.rank());
    return ending_all(ranks, [&] {
        return compute_and_report(options, run,
                                  [&](StatusLine& status) { return solve_on_ranks(ranks, options, status); });
    });
}

ExitCode eigen(MpiRanks& ranks, const EigenCommandOptions& asked, const RunInfo& run) {
    const EigenCommandOptions options = options_of_rank(asked, ranks.rank());
    return ending_all(ranks, [&] {
        return compute_and_report(options, run,
                                  [&](StatusLine& status) { return find_eigenpairs_on_ranks(ranks, options, status); });
    });
}

ExitCode info(MpiRanks& ranks, const InfoOptions& options, const RunInfo& run) {
    return ending_all(ranks, [&] {
        const bool speaks = ranks.rank() == 0;
        StatusLine status(!speaks);
        InfoReport report = describe_on_ranks(ranks, options, status);
        status.clear();
        report.run = run;
        if (speaks) tell(report, options);
        return ExitCode::done;
    });
}

int run_rank(MpiRanks& ranks, int argc, char** argv) {
    if (ranks.size() == 1) return run_program(argc, argv);
    speak_through_launcher();
    if (ranks.rank() != 0) leave_speaking_to_others();
    try {
        check_all_alike(ranks, this_program(), argc, argv);
    } catch (const RankFault& problem) {
        print_message(message_of(problem));
        return static_cast<int>(problem.code());
    } catch (const std::exception& problem) {
        end_all(ranks, problem);
    }
    const CommandsOnRanks on_ranks{
        .solve = [&](const SolveOptions& options, const RunInfo& run) { return solve(ranks, options, run); },
        .eigen = [&](const EigenCommandOptions& options, const RunInfo& run) { return eigen(ranks, options, run); },
        .info = [&](const InfoOptions& options, const RunInfo& run) { return info(ranks, options, run); },
        .end_all = [&](const std::exception& problem) { end_all(ranks, problem); }};
    const int code = run_program(argc, argv, on_ranks);
    return ranks.rank() == 0 ? code : 0;  // one speaks for all
}

}  // namespace

}  // namespace stiefel::cli

int main(int argc, char** argv) {
    stiefel::cli::wait_briefly_for_threads(argv);
    stiefel::keep_freed_memory();
    stiefel::MpiRanks ranks;
    return stiefel::cli::run_rank(ranks, argc, argv);
}
