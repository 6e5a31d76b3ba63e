#include "stiefel/cli/ranks/rank_options.hpp"

#include <fmt/format.h>

namespace stiefel::cli {

namespace {

void refuse(bool is_given, std::string_view what, std::string_view way_out) {
    if (is_given) throw UsageError(fmt::format("{}: not on several ranks; {}", what, way_out));
}

void refuse_cache(bool is_given) {
    refuse(is_given, "--cache", "leave it out: ranks read the file's parts side by side");
}

void check_computation(const ComputationWords& words) {
    refuse(words.device >= 0, "--device",
           "leave it out: each takes the GPU of its number on its host, CUDA_VISIBLE_DEVICES says which there are");
    refuse_cache(words.cache);
}

}  // namespace

void check_rank_options(const SolveOptions& options) {
    check_computation(options);
    refuse(options.scale != ScaleWord::none, "--scale",
           "leave it out: --preconditioner jacobi levels rows as it does; or solve in one process");
}

void check_rank_options(const EigenCommandOptions& options) {
    check_computation(options);
}

void check_rank_options(const InfoOptions& options) {
    refuse(options.trials.asked, "--preconditioners", "try them in one process, or solve with one after the other");
    refuse_cache(options.cache);
}

}  // namespace stiefel::cli
