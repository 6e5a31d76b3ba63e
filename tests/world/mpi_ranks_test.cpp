// Ranks that are processes: started by mpirun with 1 to 4 of them.
#include "support/world_amg_suite.hpp"

#include "stiefel/world/mpi/mpi_ranks.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace stiefel::test {
namespace {

MpiRanks& ranks() {
    static MpiRanks ranks;
    return ranks;
}

TEST(MpiRanks, SumsAndMaximaAreThoseOfAll) {
    const int n = ranks().size();
    double numbers[] = {1, static_cast<double>(ranks().rank())};
    ranks().all_sum(numbers, 2);
    EXPECT_EQ(numbers[0], n);
    EXPECT_EQ(numbers[1], n * (n - 1) / 2);
    double maxima[] = {static_cast<double>(ranks().rank()), ranks().rank() == n - 1 ? std::nan("") : 1};
    ranks().all_max(maxima, 2);
    EXPECT_EQ(maxima[0], n - 1);
    EXPECT_TRUE(std::isnan(maxima[1]));
}

TEST(MpiRanks, SumsAreTheSameBitsInEachRank) {
    double sum = std::sin(1.0 + ranks().rank()) * std::exp2(20 * ranks().rank());
    ranks().all_sum(&sum, 1);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&sum);
    const std::vector<Ranks::Bytes> out(static_cast<std::size_t>(ranks().size()),
                                        Ranks::Bytes(bytes, bytes + sizeof(sum)));
    for (const Ranks::Bytes& of_rank : ranks().all_to_all(out)) EXPECT_EQ(of_rank, out[0]);
}

TEST(MpiRanks, MessagesArriveWholeAndEmptyOnesToo) {
    std::vector<Ranks::Bytes> out;
    for (int to = 0; to < ranks().size(); ++to) {
        out.emplace_back(static_cast<std::size_t>(to * 1000 * ranks().rank()), static_cast<std::byte>(ranks().rank()));
    }
    const std::vector<Ranks::Bytes> in = ranks().all_to_all(out);
    for (int from = 0; from < ranks().size(); ++from) {
        const Ranks::Bytes expected(static_cast<std::size_t>(ranks().rank() * 1000 * from),
                                    static_cast<std::byte>(from));
        EXPECT_EQ(in[static_cast<std::size_t>(from)], expected);
    }
}

TEST(MpiRanks, ProductsAreThoseOfTheWhole) {
    products_are_those_of_the_whole<Serial, double>(ranks());
    products_are_those_of_the_whole<OpenMP, float>(ranks());
}

TEST(MpiRanks, CgSolvesItInAllAlike) {
    cg_solves_it_in_all_alike<Serial, float>(ranks());
    cg_solves_it_in_all_alike<OpenMP, double>(ranks());
}

TEST(MpiRanks, BlockCgSolvesItInAllAlike) {
    block_cg_solves_it_in_all_alike<OpenMP, double>(ranks());
}

TEST(MpiRanks, EigenpairsAreThoseOfTheWhole) {
    eigenpairs_are_those_of_the_whole<OpenMP, double>(ranks());
}

TEST(MpiRanks, AmgTakesHardlyMoreIterationsThanInOneProcess) {
    amg_takes_hardly_more_iterations<OpenMP, double>(ranks());
}

TEST(MpiRanks, AmgRefusesWhatIsWrongInOneRankInAll) {
    amg_refuses_in_all_ranks<OpenMP>(ranks());
}

TEST(MpiRanks, OneThatWantsToEndEndsAll) {
    one_that_wants_to_end_ends_all<Serial>(ranks());
}

}  // namespace
}  // namespace stiefel::test
