// Ranks that are processes: started by mpirun with 1 to 4 of them.
#include "support/world_amg_suite.hpp"
#include "support/world_ends.hpp"

#include "stiefel/world/mpi/mpi_ranks.hpp"

#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <memory>
#include <new>
#include <thread>
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

/// By a thread of each rank that sends round and round to the next, while the ranks take sums.
TEST(MpiRanks, MailGoesByItself) {
    constexpr int n_messages = 200;
    const int here = ranks().rank(), size = ranks().size();
    const std::unique_ptr<Mail> mail = ranks().mail();
    if (mail == nullptr) GTEST_SKIP() << "this MPI serves one thread alone";
    std::vector<int> came;
    std::vector<Size> lengths;
    std::thread thread([&] {
        std::vector<int> out(n_messages), in(2 * n_messages, -1);
        std::vector<std::size_t> number(n_messages);
        for (int i = 0; i < n_messages; ++i) out[static_cast<std::size_t>(i)] = 1000 * here + i;
        for (std::size_t i = 0; i < n_messages; ++i) {
            const auto bytes = static_cast<Size>(sizeof(int));
            number[i] = mail->receive((here + size - 1) % size, 7, reinterpret_cast<std::byte*>(&in[2 * i]), 2 * bytes);
            mail->send((here + 1) % size, 7, reinterpret_cast<std::byte*>(&out[i]), bytes);
        }
        for (std::size_t n_open = std::size_t{2} * n_messages; n_open > 0;) {
            for (const Mail::Ended& ended : mail->ended()) {
                --n_open;
                if (std::find(number.begin(), number.end(), ended.number) != number.end())
                    lengths.push_back(ended.bytes);
            }
        }
        for (std::size_t i = 0; i < n_messages; ++i) came.push_back(in[2 * i]);
    });
    for (int i = 0; i < 100; ++i) {
        double one = 1;
        ranks().all_sum(&one, 1);
        EXPECT_EQ(one, size);
    }
    thread.join();
    for (int i = 0; i < n_messages; ++i) {
        EXPECT_EQ(came[static_cast<std::size_t>(i)], 1000 * ((here + size - 1) % size) + i);
    }
    EXPECT_EQ(lengths, std::vector<Size>(n_messages, static_cast<Size>(sizeof(int))));
}

/// Receives a message of this rank that nothing else does; false if there is none for ten seconds.
bool receive_what_is_left(int from) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    MPI_Status message;
    for (int is_there = 0; is_there == 0;) {
        if (std::chrono::steady_clock::now() > end) return false;
        MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &message);
    }
    int bytes = 0;
    MPI_Get_count(&message, MPI_BYTE, &bytes);
    Ranks::Bytes in(static_cast<std::size_t>(bytes));
    MPI_Recv(in.data(), bytes, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
}

/// Else MPI would write to what the exception has freed.
TEST(MpiRanks, WithoutMemoryForAllMessagesNoneIsAwaited) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer needs addresses without limit";
#endif
    if (ranks().size() < 3) GTEST_SKIP() << "needs a rank that two others send to";
    const int here = ranks().rank();
    constexpr std::size_t room = std::size_t{1} << 26;
    std::vector<Ranks::Bytes> out(static_cast<std::size_t>(ranks().size()));
    if (here == 0) out[1].resize(room / 256);
    if (here == 2) out[1].resize(4 * room);
    if (here != 1) {
        ranks().all_to_all(out);
        return;
    }
    struct rlimit before {};
    getrlimit(RLIMIT_AS, &before);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    struct rlimit tight = before;
    tight.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room;
    setrlimit(RLIMIT_AS, &tight);
    EXPECT_THROW(ranks().all_to_all(out), std::bad_alloc);
    setrlimit(RLIMIT_AS, &before);
    for (const int from : {0, 2}) EXPECT_TRUE(receive_what_is_left(from)) << from;
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

TEST(MpiRanks, EndsAreTheSameInAll) {
    ends_of_cg_are_the_same_in_all<Serial, float>(ranks());
    ends_of_block_cg_are_the_same_in_all<OpenMP, double>(ranks());
    one_whose_time_is_up_ends_all<OpenMP>(ranks(), 0);
}

TEST(MpiRanks, OneThatWantsToEndEndsAll) {
    one_that_wants_to_end_ends_all<Serial>(ranks());
}

}  // namespace
}  // namespace stiefel::test
