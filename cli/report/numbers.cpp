#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace stiefel::cli {

std::string grouped(Size n) {
    std::string digits = fmt::format("{}", n);
    const std::size_t first = n < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string counted(Size n, std::string_view noun) {
    return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

std::string budget_text(Size iterations, double seconds) {
    const std::string time = std::isfinite(seconds) ? " or " + format_seconds(seconds) : "";
    return fmt::format("at most {}{}", counted(iterations, "iteration"), time);
}

std::string format_seconds(double seconds) {
    if (!std::isfinite(seconds)) return "?";
    if (seconds == 0) return "0 s";
    if (seconds < 0.9995e-3) return fmt::format("{} us", format_rate(seconds * 1e6));
    if (seconds < 0.9995) return fmt::format("{} ms", format_rate(seconds * 1e3));
    if (seconds < 99.95) return fmt::format("{} s", format_rate(seconds));
    const auto whole = static_cast<Size>(std::lround(seconds));
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

double unsigned_nan(double value) {
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

std::string format_residual(double value) {
    return fmt::format("{:.3g}", unsigned_nan(value));
}

std::string format_residual(std::optional<double> value) {
    return value ? format_residual(*value) : "-";
}

std::string format_rate(double value) {
    if (!std::isfinite(value)) return "?";
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
    return fmt::format("{:.{}f}", value, decimals);
}

std::string with_reason(std::string_view what, std::string_view reason) {
    return reason.empty() ? std::string(what) : fmt::format("{} ({})", what, reason);
}

}  // namespace stiefel::cli
