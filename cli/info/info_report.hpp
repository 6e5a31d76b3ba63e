#pragma once

#include "stiefel/analysis/matrix_info.hpp"
#include "stiefel/cli/info/preconditioner_trial.hpp"
#include "stiefel/cli/report/ranks_report.hpp"
#include "stiefel/cli/run_info.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiefel::cli {

/// All that `stiefel info` has to tell.
struct InfoReport {
    RunInfo run = {};
    std::string path = {};
    std::string symmetry = {};  ///< what the file declares
    std::string field = {};     ///< "real", "integer", "pattern"
    Size n_stored = 0;          ///< entries in the file
    MatrixInfo matrix = {};
    std::string auto_format = {};  ///< what --format auto would take
    std::string auto_kernel = {};
    std::string auto_reason = {};
    std::vector<PreconditionerTrial> trials = {};   ///< empty where none were asked for
    std::shared_ptr<const RanksReport> ranks = {};  ///< who would hold what, if there are several
    std::vector<std::string> notes = {};
};

/// Whether `stiefel solve` takes the matrix, and if it is clear already, how that ends. One sentence.
enum class Suitability { certain, possible, not_square, not_symmetric, not_positive_definite };
Suitability suitability(const MatrixInfo& matrix);
std::string_view to_string(Suitability suitability);

std::string info_text(const InfoReport& report, int width);
std::string info_json(const InfoReport& report);

}  // namespace stiefel::cli
