#include "stiefel/cli/report/ranks_parts.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace stiefel::cli {

namespace {

double work_of(const RanksReport::Rank& rank) {
    return 12 * static_cast<double>(rank.nnz) + 84 * static_cast<double>(rank.rows);
}

template <class F>
double mean(const std::vector<RanksReport::Rank>& ranks, F&& figure) {
    double sum = 0;
    for (const RanksReport::Rank& rank : ranks) sum += figure(rank);
    return ranks.empty() ? 0 : sum / static_cast<double>(ranks.size());
}

/// "1 thread each", "1 to 2 threads".
std::string threads_text(const std::vector<RanksReport::Rank>& ranks) {
    const auto fewer = [](const RanksReport::Rank& a, const RanksReport::Rank& b) { return a.threads < b.threads; };
    const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), fewer);
    if (least->threads == most->threads) return counted(least->threads, "thread") + " each";
    return fmt::format("{} to {} threads", least->threads, most->threads);
}

}  // namespace

int RanksReport::n_hosts() const {
    std::set<std::string> hosts;
    for (const Rank& rank : ranks) hosts.insert(rank.host);
    return static_cast<int>(hosts.size());
}

Size RanksReport::halo_bytes_of_product() const {
    Size elements = 0;
    for (const Rank& rank : ranks) elements += rank.sent;
    return elements * element_bytes;
}

double RanksReport::imbalance() const {
    double most = 0;
    for (const Rank& rank : ranks) most = std::max(most, work_of(rank));
    const double even = mean(ranks, work_of);
    return even > 0 ? most / even : 1;
}

double RanksReport::mean_halo_seconds() const {
    return mean(ranks, [](const Rank& rank) { return rank.halo_seconds; });
}

double RanksReport::mean_sum_seconds() const {
    return mean(ranks, [](const Rank& rank) { return rank.sum_seconds; });
}

void add_ranks(LabelledLines& page, const std::shared_ptr<const RanksReport>& ranks, double solve_seconds) {
    if (!ranks) return;
    page.add("ranks",
             fmt::format("{} on {}, {}; {}, the largest {:.2f} of the mean", ranks->ranks.size(),
                         counted(ranks->n_hosts(), "host"), ranks->on_gpus ? "a GPU each" : threads_text(ranks->ranks),
                         with_reason(ranks->partition, ranks->partition_reason), ranks->imbalance()));
    std::string waits = fmt::format("{} sent in a product", format_bytes(ranks->halo_bytes_of_product()));
    if (ranks->on_gpus) {
        waits += ranks->by_hosts ? " from GPU to GPU, by way of their hosts" : " from GPU to GPU";
    }
    if (solve_seconds > 0) {
        waits += fmt::format("; of the solve {:.1f} % in halos that nothing hides, {:.1f} % in sums",
                             100 * ranks->mean_halo_seconds() / solve_seconds,
                             100 * ranks->mean_sum_seconds() / solve_seconds);
    }
    page.add("", waits);
}

Json ranks_json(const std::shared_ptr<const RanksReport>& ranks) {
    if (!ranks) return nullptr;
    Json list = Json::array();
    for (const RanksReport::Rank& rank : ranks->ranks) {
        list.push_back({{"host", rank.host},
                        {"threads", rank.threads},
                        {"rows", rank.rows},
                        {"nonzeros", rank.nnz},
                        {"ghosts", rank.ghosts},
                        {"sent", rank.sent},
                        {"neighbours", rank.neighbours},
                        {"halo_bytes", rank.halo_bytes},
                        {"halo_seconds", rank.halo_seconds},
                        {"sum_seconds", rank.sum_seconds},
                        {"peak_memory_bytes", rank.peak_memory_bytes}});
    }
    return {{"number", ranks->ranks.size()},
            {"hosts", ranks->n_hosts()},
            {"partition", ranks->partition},
            {"partition_reason", optional_json(ranks->partition_reason)},
            {"gpus_reach_each_other", ranks->on_gpus ? Json(!ranks->by_hosts) : Json(nullptr)},
            {"imbalance", ranks->imbalance()},
            {"halo_bytes", ranks->halo_bytes_of_product()},
            {"halo_seconds", ranks->mean_halo_seconds()},
            {"sum_seconds", ranks->mean_sum_seconds()},
            {"of", list}};
}

}  // namespace stiefel::cli
