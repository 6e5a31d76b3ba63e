#include "bench/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace stiefel::bench {

namespace {

struct Row {
    const Rung* rung = nullptr;
    double seconds = 0;  ///< 0 if left out
    double spread = 0;
    Deviation deviation = {};
};

std::string times(double ratio) {
    return ratio > 0 ? fmt::format("{:.2f}x", ratio) : "";
}

std::string share(double ratio) {
    return ratio > 0 ? fmt::format("{:.3f}", ratio) : "";
}

/// References run first, since the others are checked against them.
std::vector<Row> measure(const Ladder& ladder) {
    std::vector<Row> rows;
    for (const Rung& rung : ladder.rungs) rows.push_back({.rung = &rung});
    for (const bool references : {true, false}) {
        for (Row& row : rows) {
            if (row.rung->is_reference != references || row.rung->expected_seconds > ladder.limit_seconds) continue;
            row.seconds = median_seconds(row.rung->run, ladder.repetitions, &row.spread);
            if (row.rung->deviation) row.deviation = row.rung->deviation();
        }
    }
    return rows;
}

double seconds_that_count(const Row& row) {
    return row.deviation.accepted ? row.seconds : 0;
}

}  // namespace

double median_seconds(const std::function<double()>& run, int repetitions, double* spread) {
    run();
    std::vector<double> seconds;
    double total = 0;
    // Slow rungs need no crowd to be told apart.
    while (static_cast<int>(seconds.size()) < repetitions && (total < 20 || seconds.size() < 3)) {
        seconds.push_back(run());
        total += seconds.back();
    }
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    if (spread != nullptr) *spread = (seconds.back() - seconds.front()) / median;
    return median;
}

int print(Ladder& ladder) {
    const std::vector<Row> rows = measure(ladder);
    const bool counts_flops = ladder.work.flops > 0;
    const double amount = counts_flops ? ladder.work.flops : ladder.work.bytes;

    double best_reference = 0;
    double first = ladder.baseline_seconds;
    for (const Row& row : rows) {
        if (row.rung->is_reference && row.seconds > 0) {
            best_reference = best_reference == 0 ? row.seconds : std::min(best_reference, row.seconds);
        }
        if (!row.rung->is_reference && first == 0) first = seconds_that_count(row);
    }
    fmt::print("\n{}\n{:<24}{:>12}{:>8}{:>11}{:>9}{:>10}{:>11}{:>8}{:>11}{:>11}\n", ladder.title, "", "time ms",
               "spread", counts_flops ? "GFLOP/s" : "GB/s", "step", "of first", "of best", ladder.peak_name,
               "max error", "mean error");
    int wrong = 0;
    double above = 0;
    for (const Row& row : rows) {
        if (row.seconds == 0) {
            fmt::print("{:<24}{:>12}\n", row.rung->name, "left out");
            continue;
        }
        if (!row.deviation.accepted) {
            ++wrong;
            fmt::print("{:<24}WRONG: max error {:.1e}\n", row.rung->name, row.deviation.largest);
            continue;
        }
        const double rate = amount / row.seconds;
        const double peak = row.rung->peak > 0 ? row.rung->peak : ladder.peak;
        const bool is_ours = !row.rung->is_reference;
        fmt::print("{:<24}{:>12.4f}{:>7.0f}%{:>11.1f}{:>9}{:>10}{:>11}{:>8}{:>11.1e}{:>11.1e}\n", row.rung->name,
                   row.seconds * 1e3, row.spread * 100, rate / 1e9, is_ours ? times(above / row.seconds) : "",
                   times(first / row.seconds), share(best_reference / row.seconds), share(peak > 0 ? rate / peak : 0),
                   row.deviation.largest, row.deviation.mean);
        if (is_ours) above = row.seconds;
    }
    std::fflush(stdout);
    return wrong;
}

}  // namespace stiefel::bench
