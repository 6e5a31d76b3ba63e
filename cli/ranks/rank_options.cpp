#include "stiefel/cli/ranks/rank_options.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

void check_rank_options(const SolveOptions& options) {
    const auto refuse = [](bool is_given, std::string_view what, std::string_view way_out) {
        if (is_given) throw UsageError(fmt::format("{}: not on several ranks; {}", what, way_out));
    };
    refuse(options.device >= 0, "--device",
           "leave it out: each takes the GPU of its number on its host, CUDA_VISIBLE_DEVICES says which there are");
    refuse(options.precision == Precision::single, "--precision single", "take double");
    refuse(options.cache, "--cache", "leave it out: ranks read the file's parts side by side");
    refuse(options.reorder == ReorderWord::rcm || options.reorder == ReorderWord::amd, "--reorder",
           "leave it out: rows stay in the file's order");
    refuse(!options.amg.coordinates.empty(), "--coordinates", "leave it out");
}

SolveOptions options_of_rank(const SolveOptions& options, int rank) {
    SolveOptions own = options;
    if (rank == 0) return own;
    static_cast<OutputWords&>(own) = {};
    own.quiet = true;
    return own;
}

}  // namespace stiefel::cli
