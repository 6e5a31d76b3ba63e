#pragma once

#include "stiefel/cli/report/labelled_lines.hpp"
#include "stiefel/cli/report/ranks_report.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"

#include <memory>

namespace stiefel::cli {

/// "4 on one host, 1 thread each, rows in blocks as the file has them; ..." on a page; nothing for one process.
void add_ranks(LabelledLines& page, const std::shared_ptr<const RanksReport>& ranks, double solve_seconds);

/// "ranks" of the JSON; null for one process.
Json ranks_json(const std::shared_ptr<const RanksReport>& ranks);

}  // namespace stiefel::cli
