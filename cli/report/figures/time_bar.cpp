#include "stiefel/cli/report/figures/time_bar.hpp"

#include "stiefel/cli/report/figures/svg.hpp"
#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace stiefel::cli {

namespace {

constexpr std::size_t n_kernel_colours = 6;  // classes kernel0 to kernel5 of the style sheet; the last is of all others

double sum_of(const std::vector<TimePart>& parts) {
    double sum = 0;
    for (const TimePart& part : parts) sum += part.seconds;
    return sum;
}

/// The iterations by kernels, and what they leave of the time.
std::vector<TimePart> solve_parts(double seconds, bool is_sample, std::vector<KernelTime> kernels) {
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const KernelTime& a, const KernelTime& b) { return a.seconds > b.seconds; });
    std::vector<TimePart> parts;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const std::size_t colour = std::min(k, n_kernel_colours - 1);
        if (colour == parts.size()) {
            parts.push_back({fmt::format("solve: {}", kernels[k].name), 0, fmt::format("kernel{}", colour)});
        } else {
            parts.back().name = "solve: other kernels";
        }
        parts.back().seconds += kernels[k].seconds;
    }
    const double sum = sum_of(parts);
    if (sum > 0 && (is_sample || sum > seconds)) {
        for (TimePart& part : parts) part.seconds *= seconds / sum;
    }
    parts.push_back({"solve: checks and all else", std::max(0.0, seconds - sum_of(parts)), "rest-of-solve"});
    return parts;
}

}  // namespace

std::vector<TimePart> time_breakdown(const ComputationReport& report, const std::vector<KernelTime>& kernels) {
    const ComputationReport::Seconds& s = report.seconds;
    const double choose = std::min(s.choose, s.convert);
    const double preconditioner = std::min(report.preconditioner.seconds, s.setup);
    std::vector<TimePart> parts{{"read", s.read, "read"},
                                {"start device", s.start, "start"},
                                {"convert", s.convert - choose, "convert"},
                                {"describe matrix", s.examine, "examine"},
                                {"check and prepare", s.setup - preconditioner, "prepare"},
                                {"set up preconditioner", preconditioner, "precondition"},
                                {"choose format and kernel", choose, "choose"},
                                {"upload", s.upload, "upload"}};
    const std::vector<TimePart> solve = solve_parts(s.solve, report.backend.name == "cuda", kernels);
    parts.insert(parts.end(), solve.begin(), solve.end());
    parts.insert(parts.end(), {{"time kernels", s.sample, "sample"},
                               {"download", s.download, "download"},
                               {"the other way", s.compare, "compare"},
                               {"write", s.write, "write"},
                               {"probe bandwidth", s.bandwidth, "probe"}});
    parts.push_back({"all else", std::max(0.0, s.total - sum_of(parts)), "rest"});
    std::erase_if(parts, [](const TimePart& part) { return !(part.seconds > 0); });
    return parts;
}

std::string time_bar_svg(const std::vector<TimePart>& parts) {
    constexpr double width = 1000, height = 10;  // stretched to the page
    const double sum = sum_of(parts);
    std::string words;
    for (const TimePart& part : parts) {
        words += fmt::format("{}{} {:.1f} %", words.empty() ? "" : ", ", part.name, 100 * part.seconds / sum);
    }
    Svg svg(width, height, "time", "where the time went", words + ".", "class=\"stack\" preserveAspectRatio=\"none\"");
    double x = 0;
    for (const TimePart& part : parts) {
        const double share = width * part.seconds / sum;
        svg.box("part " + part.css_class, x, 0, share, height);
        x += share;
    }
    return svg.str();
}

}  // namespace stiefel::cli
