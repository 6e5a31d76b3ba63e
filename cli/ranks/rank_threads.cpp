#include "stiefel/cli/ranks/rank_threads.hpp"

#include "stiefel/core/processors.hpp"
#include "stiefel/world/exchange.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace stiefel::cli {

namespace {

/// The processors that a rank may use, and where.
struct Seat {
    char host[sizeof(utsname::nodename)] = {};
    cpu_set_t processors = {};

    bool is_beside(const Seat& other) const { return std::strcmp(host, other.host) == 0; }
};

Seat seat_of_this() {
    Seat seat;
    utsname system{};
    if (uname(&system) == 0) std::memcpy(seat.host, system.nodename, sizeof(seat.host));
    CPU_ZERO(&seat.processors);
    if (sched_getaffinity(0, sizeof(seat.processors), &seat.processors) != 0) CPU_SET(0, &seat.processors);
    return seat;
}

/// Whole processors that are left for one rank if those that may use the same ones share them.
int part_of(const Seat& here, const std::vector<Seat>& all) {
    double part = 0;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (!CPU_ISSET(processor, &here.processors)) continue;
        part += 1.0 / static_cast<double>(std::count_if(all.begin(), all.end(), [&](const Seat& other) {
                    return here.is_beside(other) && CPU_ISSET(processor, &other.processors);
                }));
    }
    const auto beside = std::count_if(all.begin(), all.end(), [&](const Seat& other) { return here.is_beside(other); });
    constexpr double rounding = 1e-9;
    const int whole = std::max(1, static_cast<int>(part + rounding));
    return threads_under_quota(whole, cpu_quota() / static_cast<double>(beside));
}

}  // namespace

int threads_of_rank(Ranks& ranks, const BackendWords& words) {
    const Seat here = seat_of_this();
    const std::vector<Seat> all = told_to_all(ranks, here);
    if (words.backend == BackendChoice::serial) return 1;
    if (words.threads > 0) return static_cast<int>(words.threads);
    const char* const asked = std::getenv("OMP_NUM_THREADS");
    if (asked != nullptr && *asked != '\0') return 0;  // OpenMP knows
    return part_of(here, all);
}

std::vector<std::string> hosts_of(Ranks& ranks) {
    std::vector<std::string> hosts;
    for (const Seat& seat : told_to_all(ranks, seat_of_this())) hosts.emplace_back(seat.host);
    return hosts;
}

}  // namespace stiefel::cli
