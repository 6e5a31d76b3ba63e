// What hosts carry between GPUs, with threads in the place of GPUs: they write and read the same words.
#include "stiefel/world/host_relay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace stiefel::test {
namespace {

using Word = std::uint64_t;

/// What is on its way between ranks that are threads, by who sends it, who receives it, and its tag.
struct Bag {
    std::mutex mutex;
    std::map<std::array<int, 3>, std::deque<std::vector<std::byte>>> messages;
};

/// Mail of threads that takes its time: what is sent has ended a few calls later, as does what is received.
class SlowMail : public Mail {
public:
    SlowMail(Bag& bag, int rank) : bag_(bag), rank_(rank), random_(static_cast<unsigned>(rank)) {}

    std::size_t send(int to, int tag, const std::byte* data, Size bytes) override {
        return begun({.key = {rank_, to, tag}, .out = data, .in = nullptr, .bytes = bytes});
    }
    std::size_t receive(int from, int tag, std::byte* data, Size room) override {
        return begun({.key = {from, rank_, tag}, .out = nullptr, .in = data, .bytes = room});
    }
    const std::vector<Ended>& ended() override {
        ended_.clear();
        const std::scoped_lock lock(bag_.mutex);
        // In the order in which they were begun: messages of one way do not pass each other.
        std::vector<std::array<int, 3>> waiting;
        for (auto& [number, open] : open_) {
            if (std::find(waiting.begin(), waiting.end(), open.key) != waiting.end()) continue;
            if (random_() % 4 != 0 || !carried(open)) {
                waiting.push_back(open.key);
                continue;
            }
            ended_.push_back({number, open.bytes});
        }
        for (const Ended& done : ended_) open_.erase(done.number);
        return ended_;
    }

private:
    struct Open {
        std::array<int, 3> key;
        const std::byte* out;
        std::byte* in;
        Size bytes;
    };

    std::size_t begun(const Open& open) {
        open_.emplace(++last_, open);
        return last_;
    }
    /// What is sent is read when it goes, late: who has changed it meanwhile has been told too early that he may.
    bool carried(Open& open) {
        auto& queue = bag_.messages[open.key];
        if (open.out != nullptr) {
            queue.emplace_back(open.out, open.out + open.bytes);
            return true;
        }
        if (queue.empty()) return false;
        EXPECT_LE(static_cast<Size>(queue.front().size()), open.bytes);
        open.bytes = static_cast<Size>(queue.front().size());
        std::copy(queue.front().begin(), queue.front().end(), open.in);
        queue.pop_front();
        return true;
    }

    Bag& bag_;
    int rank_;
    std::minstd_rand random_;
    std::size_t last_ = 0;
    std::map<std::size_t, Open> open_;
    std::vector<Ended> ended_;
};

std::atomic_ref<Word> word(std::byte* place) {
    return std::atomic_ref(*reinterpret_cast<Word*>(place));
}

/// Memory for two rounds both ways.
struct Boxes {
    explicit Boxes(Size of_round) : words(static_cast<std::size_t>(4 * of_round) / sizeof(Word)), bytes(of_round) {}

    std::byte* out() { return reinterpret_cast<std::byte*>(words.data()); }
    std::byte* in() { return out() + 2 * bytes; }

    std::vector<Word> words;
    Size bytes;  ///< of a round
};

constexpr Size letter_bytes = 16, room = 8;

double number_of(int from, unsigned round, Size i) {
    return 1000.0 * from + round + 0.001 * static_cast<double>(i);
}

/// So many letters of a round, as a GPU posts them: each word by itself, the last letter first if need be.
void post_letters(std::byte* box, unsigned round, Size n, int from, bool backwards) {
    for (Size at = 0; at < n; ++at) {
        const Size i = backwards ? n - 1 - at : at;
        const auto bits = std::bit_cast<Word>(number_of(from, round, i));
        std::byte* const letter = box + (round % 2 * room + i) * letter_bytes;
        word(letter).store(Word{round} << 32 | (bits & 0xffffffffu), std::memory_order_relaxed);
        word(letter + sizeof(Word)).store(Word{round} << 32 | bits >> 32, std::memory_order_relaxed);
    }
}

double awaited_letter(std::byte* box, unsigned round, Size i) {
    std::byte* const letter = box + (round % 2 * room + i) * letter_bytes;
    Word low = 0, high = 0;
    do {
        low = word(letter).load(std::memory_order_relaxed);
        high = word(letter + sizeof(Word)).load(std::memory_order_relaxed);
        std::this_thread::yield();
    } while (low >> 32 != round || high >> 32 != round);
    return std::bit_cast<double>((low & 0xffffffffu) | high << 32);
}

/// body(rank, relay) in so many threads at once, each with a relay, which end when all have ended.
template <class F>
void on_hosts(int n, F&& body) {
    Bag bag;
    std::vector<std::unique_ptr<HostRelay>> relays;
    for (int rank = 0; rank < n; ++rank) {
        relays.push_back(std::make_unique<HostRelay>(std::make_unique<SlowMail>(bag, rank)));
    }
    std::vector<std::thread> threads;
    for (int rank = 0; rank < n; ++rank) {
        threads.emplace_back([&, rank] { body(rank, *relays[static_cast<std::size_t>(rank)]); });
    }
    for (std::thread& thread : threads) thread.join();
}

/// As sums do: all post to all and wait for all, in rounds of different length, one of them as long as there is room.
TEST(HostRelay, LettersArriveInEachRound) {
    constexpr int n = 3;
    constexpr unsigned n_rounds = 300;
    const auto n_letters = [](unsigned round) { return round % 5 == 0 ? room : Size{round % 3 + 1}; };
    std::vector<Boxes> boxes(std::size_t{n} * n, Boxes(room * letter_bytes));
    const auto boxes_of = [&](int rank, int other) -> Boxes& {
        return boxes[static_cast<std::size_t>(rank * n + other)];
    };
    on_hosts(n, [&](int rank, HostRelay& relay) {
        for (int other = 0; other < n; ++other) {
            Boxes& between = boxes_of(rank, other);
            if (other != rank) relay.carry(other, 0, LetterBox{between.out(), room}, LetterBox{between.in(), room});
        }
        for (unsigned round = 1; round <= n_rounds; ++round) {
            for (int other = 0; other < n; ++other) {
                if (other == rank) continue;
                post_letters(boxes_of(rank, other).out(), round, n_letters(round), rank, round % 7 == 0);
            }
            for (int other = 0; other < n; ++other) {
                if (other == rank) continue;
                for (Size i = 0; i < n_letters(round); ++i) {
                    ASSERT_EQ(awaited_letter(boxes_of(rank, other).in(), round, i), number_of(other, round, i));
                }
            }
        }
    });
}

void pack(const ParcelBox& box, unsigned round, Size n, int from) {
    std::byte* const parcel = box.parcels + round % 2 * box.parcel_bytes;
    for (Size i = 0; i < n; ++i) {
        const double number = number_of(from, round, i);
        std::memcpy(parcel + ParcelBox::head_bytes + i * 8, &number, sizeof number);
    }
    word(parcel).store(Word{round} << 32 | static_cast<Word>(n), std::memory_order_release);
}

void expect_parcel(const ParcelBox& box, unsigned round, Size n, int from) {
    std::byte* const parcel = box.parcels + round % 2 * box.parcel_bytes;
    Word head = 0;
    while ((head = word(parcel).load(std::memory_order_acquire)) >> 32 != round) std::this_thread::yield();
    ASSERT_EQ(head & 0xffffffffu, static_cast<Word>(n));
    for (Size i = 0; i < n; ++i) {
        double number = 0;
        std::memcpy(&number, parcel + ParcelBox::head_bytes + i * 8, sizeof number);
        ASSERT_EQ(number, number_of(from, round, i));
    }
}

/// As halos do: who has what has come in a round packs for the next, at once. One way has many numbers, the other none.
TEST(HostRelay, ParcelsArriveInEachRoundAndEmptyOnesToo) {
    constexpr Size most = 1000;
    const Size bytes = ParcelBox::bytes_for(most);
    for (const unsigned last : {0u, 6u, 7u}) {
        Boxes boxes[2] = {Boxes(bytes), Boxes(bytes)};
        on_hosts(2, [&](int rank, HostRelay& relay) {
            const ParcelBox out{boxes[rank].out(), bytes}, in{boxes[rank].in(), bytes};
            const auto n_from = [&](int from, unsigned round) {
                return from == 0 ? Size{0} : std::min<Size>(most, Size{round} * 37);
            };
            relay.carry(1 - rank, 3, out, in, last);
            for (unsigned round = last + 1; round <= last + 300; ++round) {
                pack(out, round, n_from(rank, round), rank);
                expect_parcel(in, round, n_from(1 - rank, round), 1 - rank);
            }
        });
    }
}

/// Ways begun while others are used, of several tags between the same two: none takes what is another's.
TEST(HostRelay, WaysOfSeveralTagsKeepApart) {
    constexpr int n_ways = 4;
    constexpr Size n = 20;
    const Size bytes = ParcelBox::bytes_for(n);
    std::vector<Boxes> boxes(std::size_t{2} * n_ways, Boxes(bytes));
    on_hosts(2, [&](int rank, HostRelay& relay) {
        std::vector<std::pair<ParcelBox, ParcelBox>> ways;
        for (int added = 0; added < n_ways; ++added) {
            Boxes& own = boxes[static_cast<std::size_t>(2 * added + rank)];
            ways.emplace_back(ParcelBox{own.out(), bytes}, ParcelBox{own.in(), bytes});
            relay.carry(1 - rank, added, ways.back().first, ways.back().second, 0);
            for (int way = 0; way <= added; ++way) {
                const auto& [out, in] = ways[static_cast<std::size_t>(way)];
                const auto round = static_cast<unsigned>(added - way + 1);
                pack(out, round, n, 10 * way + rank);
                expect_parcel(in, round, n, 10 * way + 1 - rank);
            }
        }
    });
}

/// A thread that looks into memory without end must be told to go.
TEST(HostRelay, EndsWithWaysThatNothingComesBy) {
    Bag bag;
    Boxes boxes(ParcelBox::bytes_for(4));
    HostRelay relay(std::make_unique<SlowMail>(bag, 0));
    relay.carry(1, 0, ParcelBox{boxes.out(), boxes.bytes}, ParcelBox{boxes.in(), boxes.bytes}, 0);
}

}  // namespace
}  // namespace stiefel::test
