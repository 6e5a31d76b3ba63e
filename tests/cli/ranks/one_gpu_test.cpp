// Where one GPU is faster than one for each rank, the first has all rows, and the report says so: who holds what is
// decided before any GPU is used, so ranks are threads of this process.
#include "stiefel/cli/ranks/rank_matrix.hpp"
#include "support/thread_ranks.hpp"

#include <string>
#include <tuple>

namespace stiefel::test {
namespace {

using cli::Gpus;
using cli::PreconditionerWord;

struct Held {
    std::string reason;
    Size of_first = 0, of_all = 0;
};

Held held(int n_ranks, const std::string& matrix, PreconditionerWord preconditioner, Gpus gpus) {
    Held found;
    in_threads(n_ranks, [&](Ranks& ranks) {
        OpenMP host(1);
        cli::ComputationWords words;
        words.matrix = matrix;
        words.partition = "auto";
        words.preconditioner = preconditioner;
        cli::ComputationReport report;
        cli::StatusLine status(true);
        const cli::RankMatrix held =
            cli::read_matrix_on_ranks(ranks, host, words, "CG", cli::untold_unknowns, gpus, report, status);
        EXPECT_EQ(held.rows.own.n_rows, held.blocks.n_rows_of(ranks.rank()));
        if (ranks.rank() == 0) found = {held.partition_reason, held.blocks.n_rows_of(0), held.n_rows()};
    });
    return found;
}

TEST(OneGpu, HasAllRowsWhereItIsFasterThanSeveral) {
    const Held few = held(3, "generate:poisson3d:12", PreconditionerWord::jacobi, Gpus::for_one_solve);
    EXPECT_EQ(few.of_first, few.of_all);
    EXPECT_EQ(few.reason, "on one GPU, which is faster than 3 here");
    // Multigrid is slower to set up on several; where many solves follow, that is no matter.
    const std::string large = "generate:poisson3d:80";
    const Held multigrid = held(2, large, PreconditionerWord::amg, Gpus::for_one_solve);
    EXPECT_EQ(multigrid.of_first, multigrid.of_all);
    EXPECT_EQ(multigrid.reason, "on one GPU, which is faster than 2 here");
    // What stays in the multiprocessors: on one GPU the vectors of 80^3, which several would hardly gain anything of.
    EXPECT_EQ(held(2, large, PreconditionerWord::jacobi, Gpus::for_one_solve).reason, multigrid.reason);
    EXPECT_EQ(held(2, large, PreconditionerWord::none, Gpus::for_one_solve).of_first, multigrid.of_all);
    const std::string larger = "generate:poisson3d:100";
    for (const auto& [matrix, preconditioner, gpus] :
         {std::tuple(large, PreconditionerWord::amg, Gpus::for_many),
          std::tuple(large, PreconditionerWord::jacobi, Gpus::for_many),
          std::tuple(large, PreconditionerWord::ssor, Gpus::for_one_solve),
          std::tuple(larger, PreconditionerWord::jacobi, Gpus::for_one_solve)}) {
        const Held shared = held(2, matrix, preconditioner, gpus);
        EXPECT_LT(static_cast<double>(shared.of_first), 0.51 * static_cast<double>(shared.of_all));
        EXPECT_EQ(shared.reason.find("on one GPU"), std::string::npos) << shared.reason;
    }
}

TEST(OneGpu, OnCoresAllHaveTheirRows) {
    const Held cores = held(2, "generate:poisson3d:12", PreconditionerWord::jacobi, Gpus::none);
    EXPECT_LT(cores.of_first, cores.of_all);
}

}  // namespace
}  // namespace stiefel::test
