#pragma once

#include "bench/suites/case_record.hpp"
#include "bench/suites/sampler.hpp"
#include "bench/suites/suite_options.hpp"

#include "stiefel/core/error.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiefel::bench {

/// The case cannot or may not run; what() says why, with the numbers.
class Refused : public Error {
public:
    using Error::Error;
};

/// The kernel's result is wrong, so its time does not count.
class WrongResult : public Error {
public:
    using Error::Error;
};

/// What is measured under its labels. Operands belong to the functions of the cases that share them, made when the
/// first of them asks (lazy.hpp), and go with the last: a case's function is let go when it has been measured.
struct Case {
    Labels labels;
    /// Fills in the record but for its labels. Refuses by an exception.
    std::function<void(CaseRecord&, const Sampler&)> measure;
    double weight = 1;  ///< how long it takes beside the others, about
};

struct SuiteHeader;

/// References by name, with their versions; null where the machine has not got them.
using Libraries = std::map<std::string, std::optional<std::string>>;

/// A question that is answered by one command. What is listed in suites() is offered.
struct Suite {
    std::string_view name;
    std::string_view description;  ///< one line
    SampleLimits samples;          ///< of a case, unless --quick or --samples
    std::vector<Case> (*cases)(const SuiteOptions&);
    std::string (*table)(const std::vector<CaseRecord>&, const SuiteHeader&);
    Libraries (*libraries)(const SuiteOptions&) = nullptr;  ///< that are measured beside, if any
};

std::span<const Suite> suites();

/// Throws InvalidArgument that names those there are.
const Suite& find_suite(std::string_view name);

}  // namespace stiefel::bench
