#pragma once

#include "bench/suites/suite_file.hpp"

#include <string>
#include <vector>

namespace stiefel::bench {

/// "stiefel-suite/1", a case a line.
std::string suite_json(const SuiteHeader& header, const std::vector<CaseRecord>& cases);

/// The reverse. Throws ParseError, naming the file, where the text is no such JSON.
void parse_suite_json(const std::string& path, const std::string& text, SuiteHeader& header,
                      std::vector<CaseRecord>& cases);

}  // namespace stiefel::bench
