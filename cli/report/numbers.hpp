#pragma once

#include "stiefel/core/types.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stiefel::cli {

// Numbers, and small phrases, as people read them.

/// "6,940,000"
std::string grouped(Size n);

/// "1 thread", "2 threads", "1,138 rows": the noun's plural adds an s.
std::string counted(Size n, std::string_view noun);

/// "at most 1,000 iterations", "at most 1,000 iterations or 60.0 s": the time is infinite where there is no limit.
std::string budget_text(Size iterations, double seconds);

/// Three digits with a fitting unit: "850 us", "12.3 ms", "4.21 s", "3 min 05 s", "2 h 07 min".
std::string format_seconds(double seconds);

/// The same NaN as any other: formatted, it has no sign.
double unsigned_nan(double value);

/// "1e-08", "9.71e-09", "0": the shortest spelling of up to three digits.
std::string format_residual(double value);
/// "-" for what was not computed.
std::string format_residual(std::optional<double> value);

/// Three significant digits without exponent, for rates: "0.213", "14.2", "3010".
std::string format_rate(double value);

/// "what (reason)", or "what" where there is no reason.
std::string with_reason(std::string_view what, std::string_view reason);

}  // namespace stiefel::cli
