#include "stiefel/world/mpi/mpi_ranks.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/larger_or_nan.hpp"
#include "stiefel/world/mpi/mpi_count.hpp"
#include "stiefel/world/mpi/mpi_mail.hpp"

#include <mpi.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string_view>
#include <thread>

namespace stiefel {

namespace {

constexpr int halo_tag = 1, set_up_tag = 2;

/// Bytes of a message of the set-up; longer ones go in several, which arrive in order.
constexpr std::size_t longest_message = std::size_t{1} << 30;

std::size_t n_messages_of(std::size_t bytes) {
    return (bytes + longest_message - 1) / longest_message;
}

/// Calls transfer(data, count) for each message that so many bytes go in.
template <class F>
void in_messages(std::byte* data, std::size_t bytes, F&& transfer) {
    for (std::size_t at = 0; at < bytes; at += longest_message) {
        transfer(data + at, static_cast<int>(std::min(longest_message, bytes - at)));
    }
}

/// Whether no other process of this host has asked for it: it is a name that one of them can have until it ends. True
/// as well where the system has no such names.
bool has_word_of_host(std::uint64_t job) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;  // an address that begins with 0 is no file
    const int text = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "stiefel-%" PRIu64, job);
    const int socket_of_name = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (socket_of_name < 0) return true;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1) + static_cast<socklen_t>(text);
    return bind(socket_of_name, reinterpret_cast<const sockaddr*>(&name), length) == 0 || errno != EADDRINUSE;
}

/// Hardly the same for two jobs.
std::uint64_t number_of_job() {
    const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    return now * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(getpid());
}

std::uint64_t number_of_host() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return std::hash<std::string_view>{}(name);
}

struct Greeting {
    std::uint64_t job;
    std::uint64_t host;
};

}  // namespace

struct MpiRanks::Requests {
    std::vector<MPI_Request> open;
};

MpiRanks::MpiRanks() : requests_(std::make_unique<Requests>()) {
    int is_begun = 0;
    MPI_Initialized(&is_begun);
    if (is_begun == 0) {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);  // mail() has a thread of its own
        began_here_ = true;
        if (provided < MPI_THREAD_FUNNELED) throw Error("MPI: this library serves no process that has threads");
    }
    // All to all, as MPI makes room for a connection when it is first used: now, rather than once memory is short, when
    // it would wait for ever.
    const std::vector<Greeting> own(static_cast<std::size_t>(size()), Greeting{number_of_job(), number_of_host()});
    std::vector<Greeting> all(own.size());
    MPI_Alltoall(own.data(), sizeof(Greeting), MPI_BYTE, all.data(), sizeof(Greeting), MPI_BYTE, MPI_COMM_WORLD);
    job_ = all.front().job;
    std::set<std::uint64_t> hosts;
    for (std::size_t r = 0; all[r].host != own.front().host; ++r) hosts.insert(all[r].host);
    hosts_before_ = static_cast<int>(hosts.size());
}

MpiRanks::~MpiRanks() {
    int is_ended = 0;
    MPI_Finalized(&is_ended);  // by whoever began it
    if (is_ended == 0 && began_here_) MPI_Finalize();
}

int MpiRanks::rank() const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int MpiRanks::size() const {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

template <class Combine>
void MpiRanks::combine(double* values, Size n, Combine&& two) {
    const int n_ranks = size();
    gathered_.resize(static_cast<std::size_t>(n_ranks * n));
    MPI_Allgather(values, as_count(n), MPI_DOUBLE, gathered_.data(), as_count(n), MPI_DOUBLE, MPI_COMM_WORLD);
    for (Size i = 0; i < n; ++i) {
        values[i] = 0;
        for (Size r = 0; r < n_ranks; ++r) values[i] = two(values[i], gathered_[static_cast<std::size_t>(r * n + i)]);
    }
}

void MpiRanks::all_sum(double* sums, Size n) {
    combine(sums, n, std::plus<>());
}

void MpiRanks::all_max(double* maxima, Size n) {
    combine(maxima, n, larger_or_nan);
}

std::vector<Ranks::Bytes> MpiRanks::all_to_all(const std::vector<Bytes>& out) {
    const auto n_ranks = static_cast<std::size_t>(size());
    require(out.size() == n_ranks, "all_to_all: there must be a message for each rank");
    std::vector<Size> lengths(n_ranks), lengths_in(n_ranks);
    for (std::size_t r = 0; r < n_ranks; ++r) lengths[r] = static_cast<Size>(out[r].size());
    MPI_Alltoall(lengths.data(), 1, MPI_INT64_T, lengths_in.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);

    // All memory is there before anything is received: what throws later would free what MPI still writes to.
    const auto here = static_cast<std::size_t>(rank());
    std::vector<Bytes> in(n_ranks);
    std::size_t n_messages = 0;
    for (std::size_t r = 0; r < n_ranks; ++r) {
        if (r == here) continue;
        in[r].resize(static_cast<std::size_t>(lengths_in[r]));
        n_messages += n_messages_of(in[r].size()) + n_messages_of(out[r].size());
    }
    in[here] = out[here];  // needs no MPI, and no second copy on the way
    std::vector<MPI_Request> open;
    open.reserve(n_messages);
    for (std::size_t r = 0; r < n_ranks; ++r) {
        if (r == here) continue;
        in_messages(in[r].data(), in[r].size(), [&](std::byte* data, int count) {
            MPI_Irecv(data, count, MPI_BYTE, static_cast<int>(r), set_up_tag, MPI_COMM_WORLD, &open.emplace_back());
        });
    }
    for (std::size_t r = 0; r < n_ranks; ++r) {
        if (r == here) continue;
        in_messages(const_cast<std::byte*>(out[r].data()), out[r].size(), [&](std::byte* data, int count) {
            MPI_Isend(data, count, MPI_BYTE, static_cast<int>(r), set_up_tag, MPI_COMM_WORLD, &open.emplace_back());
        });
    }
    MPI_Waitall(static_cast<int>(open.size()), open.data(), MPI_STATUSES_IGNORE);
    return in;
}

std::unique_ptr<Mail> MpiRanks::mail() {
    int provided = 0;
    MPI_Query_thread(&provided);
    double lacks = provided < MPI_THREAD_MULTIPLE ? 1 : 0;
    all_max(&lacks, 1);
    return lacks != 0 ? nullptr : mpi_mail();
}

void MpiRanks::begin(std::span<const Part> out, std::span<const Part> in) {
    auto& open = requests_->open;
    require(open.empty(), "MPI: an exchange was begun before the last one ended");
    open.reserve(in.size() + out.size());  // so that nothing throws once MPI writes to the caller's memory
    for (const auto& parts : {in, out})
        for (const Part& part : parts) as_count(part.bytes);
    for (const Part& part : in) {
        MPI_Irecv(part.data, as_count(part.bytes), MPI_BYTE, part.rank, halo_tag, MPI_COMM_WORLD, &open.emplace_back());
    }
    for (const Part& part : out) {
        MPI_Isend(part.data, as_count(part.bytes), MPI_BYTE, part.rank, halo_tag, MPI_COMM_WORLD, &open.emplace_back());
    }
}

void MpiRanks::end() {
    auto& open = requests_->open;
    MPI_Waitall(static_cast<int>(open.size()), open.data(), MPI_STATUSES_IGNORE);
    open.clear();
}

// Not by memory that ranks reach into: Debian's Open MPI has none between hosts without InfiniBand, and waits for ever
// where some rank lacks the room for it.
bool MpiRanks::is_first_to_fail() {
    if (!has_word_of_host(job_)) return false;
    // Of several hosts' the first has ended the others before they wake.
    constexpr int apart = 3, longest = 9;  // seconds; mpirun takes two to end ranks of another host
    std::this_thread::sleep_for(std::chrono::seconds(std::min(apart * hosts_before_, longest)));
    return true;
}

void MpiRanks::abort(int exit_code) {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::abort();  // MPI does not say that it does not return
}

}  // namespace stiefel
