#pragma once

#include "stiefel/cli/computation_options.hpp"
#include "stiefel/preconditioner/eigen_end.hpp"

#include <array>

namespace stiefel::cli {

enum class EigenMethod { lobpcg, subspace, power };

inline constexpr std::array which_choices{Choice<EigenEnd>{"smallest", EigenEnd::smallest},
                                          Choice<EigenEnd>{"largest", EigenEnd::largest},
                                          Choice<EigenEnd>{"magnitude", EigenEnd::magnitude}};
inline constexpr std::array eigen_method_choices{Choice<EigenMethod>{"lobpcg", EigenMethod::lobpcg},
                                                 Choice<EigenMethod>{"subspace", EigenMethod::subspace},
                                                 Choice<EigenMethod>{"power", EigenMethod::power}};

/// Everything that `stiefel eigen` can be told.
struct EigenCommandOptions : ComputationWords {
    Size count = 6;
    EigenEnd which = EigenEnd::smallest;
    EigenMethod method = EigenMethod::lobpcg;
    Size degree = -1;  ///< of the Chebyshev polynomial; -1: default_degree, where there is one
    Size guards = -1;  ///< -1: a quarter of count, at least 2
    Size seed = 1;
};

inline constexpr Size default_degree = 12;

void add_eigen_options(CLI::App& command, EigenCommandOptions& options);

/// What can be found wrong before anything is read. Throws UsageError. Settles the degree.
void check_eigen_options(EigenCommandOptions& options);

/// The degree of the polynomial where none was given.
void settle_degree(EigenCommandOptions& options);

}  // namespace stiefel::cli
