#pragma once

#include "stiefel/cli/backend_options.hpp"
#include "stiefel/cli/method_words.hpp"
#include "stiefel/cli/output_options.hpp"
#include "stiefel/cli/preconditioner_words.hpp"
#include "stiefel/preconditioner/eigen_end.hpp"

#include <array>
#include <limits>
#include <string>

namespace stiefel::cli {

enum class EigenMethod { lobpcg, subspace, power };

inline constexpr std::array which_choices{Choice<EigenEnd>{"smallest", EigenEnd::smallest},
                                          Choice<EigenEnd>{"largest", EigenEnd::largest},
                                          Choice<EigenEnd>{"magnitude", EigenEnd::magnitude}};
inline constexpr std::array eigen_method_choices{Choice<EigenMethod>{"lobpcg", EigenMethod::lobpcg},
                                                 Choice<EigenMethod>{"subspace", EigenMethod::subspace},
                                                 Choice<EigenMethod>{"power", EigenMethod::power}};

/// Everything that `stiefel eigen` can be told.
struct EigenCommandOptions : BackendWords, OutputWords {
    std::string matrix;
    bool cache = false;
    Size count = 6;
    EigenEnd which = EigenEnd::smallest;
    EigenMethod method = EigenMethod::lobpcg;
    PreconditionerWord preconditioner = PreconditionerWord::automatic;
    Size degree = -1;  ///< of the Chebyshev polynomial; -1: default_degree, where there is one
    Size guards = -1;  ///< -1: a quarter of count, at least 2
    double rtol = 1e-8;
    Size max_iterations = -1;                                     ///< -1: the method's own
    double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
    Size seed = 1;
    Precision precision = Precision::double_;
    std::string_view format = "auto";  ///< or one of AllFormats::names
    std::string kernel = "auto";
};

inline constexpr Size default_degree = 12;

void add_eigen_options(CLI::App& command, EigenCommandOptions& options);

/// What can be found wrong before anything is read. Throws UsageError. Settles the degree.
void check_eigen_options(EigenCommandOptions& options);

}  // namespace stiefel::cli
