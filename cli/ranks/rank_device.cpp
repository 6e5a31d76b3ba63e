#include "stiefel/cli/ranks/rank_device.hpp"

#include "stiefel/cli/ranks/rank_course.hpp"
#include "stiefel/cli/ranks/rank_threads.hpp"
#include "stiefel/cli/ranks/together.hpp"
#include "stiefel/world/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace stiefel::cli {

namespace {

/// How many of the ranks before this one are on its host, and of all.
struct OnHost {
    int before = 0;
    int all = 0;
};

OnHost ranks_on_host(Ranks& ranks) {
    const std::vector<std::string> hosts = hosts_of(ranks);
    const auto here = hosts.begin() + ranks.rank();
    return {static_cast<int>(std::count(hosts.begin(), here, *here)),
            static_cast<int>(std::count(hosts.begin(), hosts.end(), *here))};
}

}  // namespace

bool takes_gpus(Ranks& ranks, const BackendWords& words) {
    if (words.backend == BackendChoice::cuda) return true;
    if (words.backend != BackendChoice::automatic) return false;
    double lacks = n_cuda_devices() < ranks_on_host(ranks).all ? 1 : 0;
    ranks.all_max(&lacks, 1);
    return lacks == 0;
}

int device_of_rank(Ranks& ranks) {
    return ranks_on_host(ranks).before % std::max(1, n_cuda_devices());
}

void check_devices_apart(Ranks& ranks, const Cuda& backend) {
    const std::string& own = backend.device().id;
    std::vector<std::string> ids;
    for (const Ranks::Bytes& bytes : told_to_all(ranks, bytes_of(std::span<const char>(own)))) {
        std::vector<char> id;
        append_values(bytes, id);
        ids.emplace_back(id.begin(), id.end());
    }
    const std::vector<std::string> hosts = hosts_of(ranks);
    together(ranks, [&] {
        std::vector<std::string> on_host;
        for (std::size_t r = 0; r < ids.size(); ++r) {
            if (hosts[r] == hosts[static_cast<std::size_t>(ranks.rank())]) on_host.push_back(ids[r]);
        }
        const std::size_t n_ranks = on_host.size();
        std::sort(on_host.begin(), on_host.end());
        on_host.erase(std::unique(on_host.begin(), on_host.end()), on_host.end());
        if (on_host.size() == n_ranks) return;
        throw DeviceError(
            fmt::format("--backend cuda: {} ranks on {} have {} between them; start one for each GPU "
                        "(mpirun -np {}), or take --backend openmp",
                        n_ranks, hosts[static_cast<std::size_t>(ranks.rank())],
                        on_host.size() == 1 ? "one GPU" : fmt::format("{} GPUs", on_host.size()), on_host.size()));
    });
}

}  // namespace stiefel::cli
