#pragma once

#include "stiefel/cli/options.hpp"
#include "stiefel/core/backend.hpp"

#include <array>
#include <string>

namespace stiefel::cli {

inline constexpr std::array backend_choices{
    Choice<BackendChoice>{"auto", BackendChoice::automatic}, Choice<BackendChoice>{"serial", BackendChoice::serial},
    Choice<BackendChoice>{"openmp", BackendChoice::openmp}, Choice<BackendChoice>{"cuda", BackendChoice::cuda}};

/// Where a command computes, as the command line says it.
struct BackendWords {
    BackendChoice backend = BackendChoice::automatic;
    Size threads = 0;  ///< 0: as OpenMP offers
    Size device = -1;  ///< -1: the first
};

void add_backend_options(CLI::App& command, const std::string& group, BackendWords& words);

/// Throws UsageError where the words contradict each other.
void check_backend_options(const BackendWords& words);

BackendOptions backend_options(const BackendWords& words);

}  // namespace stiefel::cli
