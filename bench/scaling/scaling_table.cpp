#include "bench/scaling/scaling_table.hpp"

#include "bench/suites/text_table.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::bench {

namespace {

/// None where it is not known of some run.
template <class Part>
std::optional<double> median(const std::vector<RankedRun>& runs, Part&& part) {
    std::vector<double> values;
    for (const RankedRun& run : runs) {
        const std::optional<double> value = part(run);
        if (!value) return {};
        values.push_back(*value);
    }
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string milliseconds(std::optional<double> seconds) {
    return seconds ? fmt::format("{:.3f} ms", *seconds * 1e3) : "-";
}

std::string title(const ScalingOptions& o, const std::string& kind) {
    const std::string each = o.backend == "cuda" ? "a GPU" : cli::counted(o.threads, "thread");
    return fmt::format("{}, {}, {}^3 points{}, {} a rank, CG with Jacobi, {} iterations, median of {}\n", kind,
                       o.problem, o.size, kind == "weak" ? " a rank" : "", each, o.iterations, o.rounds);
}

}  // namespace

std::string scaling_table(const ScalingOptions& options, const std::string& kind, const RunsByRanks& runs) {
    TextTable table(
        {"ranks", "unknowns", "an iteration", "efficiency", "products, vectors", "halo", "sums", "a product sends"}, 0);
    std::string notes;
    double base = 0;
    for (const int ranks : options.ranks) {
        const std::vector<RankedRun>& of = runs.at(ranks);
        const double total = *median(of, [](const RankedRun& run) { return std::optional(run.iteration); });
        const auto halo = median(of, [](const RankedRun& run) { return run.halo; });
        const auto sums = median(of, [](const RankedRun& run) { return run.sums; });
        const double work = total * (kind == "weak" ? 1 : ranks);
        if (base == 0) base = work;
        table.add({std::to_string(ranks), cli::grouped(of.front().rows), milliseconds(total),
                   fmt::format("{:.2f}", base / work), milliseconds(total - halo.value_or(0) - sums.value_or(0)),
                   milliseconds(halo), milliseconds(sums),
                   fmt::format("{} KiB", cli::grouped((of.front().sent + 512) / 1024))});
        if (!of.front().one_gpu.empty()) notes += fmt::format("{} ranks: {}\n", ranks, of.front().one_gpu);
    }
    return title(options, kind) + table.text() + notes;
}

}  // namespace stiefel::bench
