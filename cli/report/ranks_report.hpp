#pragma once

#include "stiefel/core/types.hpp"

#include <string>
#include <vector>

namespace stiefel::cli {

/// What there is to tell of the ranks that a system was solved on.
struct RanksReport {
    struct Rank {
        std::string host = {};
        int threads = 1;
        Size rows = 0;
        Size nnz = 0;
        Size ghosts = 0;          ///< elements of others that a product needs
        Size sent = 0;            ///< elements that a product sends
        int neighbours = 0;       ///< ranks that they go to
        double halo_seconds = 0;  ///< of the solve, in exchanges that no work hides
        double sum_seconds = 0;   ///< of the solve, in sums: waiting for the slowest included
        Size halo_bytes = 0;      ///< sent in the whole solve
        Size peak_memory_bytes = 0;
    };

    bool on_gpus = false;                 ///< one each; then only the bytes of halos are known, not the seconds
    bool by_hosts = false;                ///< hosts carry what some of these say to each other
    std::string partition = {};           ///< "blocks"
    std::string partition_reason = {};    ///< why
    Size element_bytes = sizeof(double);  ///< of vectors
    std::vector<Rank> ranks = {};

    int n_hosts() const;
    /// That a product with one vector sends, of all ranks.
    Size halo_bytes_of_product() const;
    /// The most rows and entries of a rank over the mean, by what an iteration moves: 1 is even.
    double imbalance() const;
    double mean_halo_seconds() const;
    double mean_sum_seconds() const;
};

}  // namespace stiefel::cli
