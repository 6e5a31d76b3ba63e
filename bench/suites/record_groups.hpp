#pragma once

#include "bench/suites/case_record.hpp"
#include "bench/suites/suite_file.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

using Records = std::vector<const CaseRecord*>;

Records pointers(const std::vector<CaseRecord>& cases);

/// The different texts of a label, in the order in which they come.
std::vector<std::string> values_of(const Records& records, std::string_view label);

/// Those with this text.
Records with(const Records& records, std::string_view label, std::string_view text);

/// Those of each backend and number of threads, in the order in which these come.
std::vector<Records> by_place(const Records& records);

/// The one with the least median time; null where none was measured.
const CaseRecord* fastest(const Records& records);

double flops_per_second(const CaseRecord& record);

/// Of the bandwidth measured in the same run where it ran, by the least bytes; 0 where it is not known. Operands that
/// stay in a cache exceed 1.
double share_of_bandwidth(const CaseRecord& record, const SuiteMachine& machine);

/// What was worked on: "cant", "n 512, density 0.01".
std::string operand_text(const Labels& labels);

/// "serial", "openmp 2", "cuda".
std::string place_text(const Labels& labels);

/// A line on the bandwidth that shares refer to.
std::string machine_text(const SuiteMachine& machine);

/// What was refused, a line for each reason with the number of cases; empty where nothing was.
std::string refusals_text(const std::vector<CaseRecord>& cases);

}  // namespace stiefel::bench
