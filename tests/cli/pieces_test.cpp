// The parts of the program that are plain functions.

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/options.hpp"
#include "stiefel/cli/report/figures/residual_plot.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/report/report_files.hpp"
#include "stiefel/cli/report/table.hpp"
#include "stiefel/cli/run_info.hpp"
#include "stiefel/cli/terminal/convergence_forecast.hpp"
#include "stiefel/cli/terminal/progress_bar.hpp"
#include "stiefel/cli/terminal/wrapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stiefel::cli {
namespace {

TEST(Numbers, GroupsThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(-1234567), "-1,234,567");
    EXPECT_EQ(grouped(std::numeric_limits<Size>::max()), "9,223,372,036,854,775,807");
}

TEST(Numbers, CountsNouns) {
    EXPECT_EQ(counted(0, "iteration"), "0 iterations");
    EXPECT_EQ(counted(1, "iteration"), "1 iteration");
    EXPECT_EQ(counted(1138, "row"), "1,138 rows");
}

TEST(Numbers, SecondsTakeAFittingUnit) {
    EXPECT_EQ(format_seconds(0), "0 s");
    EXPECT_EQ(format_seconds(2.5e-5), "25.0 us");
    EXPECT_EQ(format_seconds(0.9999e-3), "1.00 ms");
    EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
    EXPECT_EQ(format_seconds(4.206), "4.21 s");
    EXPECT_EQ(format_seconds(99.96), "1 min 40 s");
    EXPECT_EQ(format_seconds(185), "3 min 05 s");
    EXPECT_EQ(format_seconds(7620), "2 h 07 min");
    EXPECT_EQ(format_seconds(std::numeric_limits<double>::quiet_NaN()), "?");
}

TEST(Numbers, RatesHaveThreeDigits) {
    EXPECT_EQ(format_rate(0.2134), "0.213");
    EXPECT_EQ(format_rate(9.996), "10.0");
    EXPECT_EQ(format_rate(14.23), "14.2");
    EXPECT_EQ(format_rate(3010.4), "3010");
}

TEST(Numbers, NaNHasNoSign) {
    for (const double nan : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(format_residual(nan), "nan");
        EXPECT_EQ(history_csv({nan}), "iteration,relative_residual\n0,nan\n");
        EXPECT_EQ(progress_text({.relative_residual = nan}, 100).find("-nan"), std::string::npos);
    }
    EXPECT_EQ(format_residual(std::optional<double>{}), "-");
}

TEST(Wrapping, BreaksAtBlanksAndIndents) {
    std::string page = "ab  ";
    append_wrapped(page, "one two three", 4, 11);
    EXPECT_EQ(page, "ab  one two\n    three\n");
}

TEST(Wrapping, KeepsAWordThatIsTooLong) {
    std::string page;
    append_wrapped(page, "a incomprehensibilities b", 0, 8);
    EXPECT_EQ(page, "a\nincomprehensibilities\nb\n");
}

TEST(Wrapping, ListsBreakBetweenItemsAndTooLongItemsBetweenWords) {
    const std::array<std::string, 3> items{"read 1 ms", "solve 2 ms", "at most 231.7 MiB of memory"};
    std::string page;
    append_list(page, items, 0, 21);
    EXPECT_EQ(page, "read 1 ms,\nsolve 2 ms, at most\n231.7 MiB of memory\n");
}

TEST(Wrapping, ShortensInTheMiddle) {
    EXPECT_EQ(shortened("reading a.mtx", 20), "reading a.mtx");
    EXPECT_EQ(shortened("reading a/long/path/to/A.mtx", 22), "reading ...th/to/A.mtx");
    for (std::size_t width = 0; width < 40; ++width) {
        EXPECT_LE(shortened("reading a/long/path/to/A.mtx", width).size(), width);
    }
}

Table three_kernels() {
    return {.columns = {{"kernel", 10}, {"calls", 8}, {"GB/s", 8}, {"ended as", 0, false}},
            .rows = {{"a", "12", "3.5", "in cache"}, {"a_long_name", "7", "", "done"}}};
}

TEST(Tables, AreAlignedWhereThePageIsWideEnough) {
    LabelledLines page(11, 80);
    add_table(page, three_kernels());
    EXPECT_EQ(page.text(),
              "kernel        calls    GB/s  ended as\n"
              "a                12     3.5  in cache\n"
              "a_long_name       7          done\n");
}

TEST(Tables, BecomeParagraphsWhereItIsNot) {
    LabelledLines page(11, 32);
    add_table(page, three_kernels());
    EXPECT_EQ(page.text(),
              "kernel\n"
              "a          calls 12, GB/s 3.5,\n"
              "           ended as in cache\n"
              "a_long_name\n"
              "           calls 7,\n"
              "           ended as done\n");
}

TEST(ShellWords, AreQuotedWhereAShellWouldNotTakeThemAsTheyAre) {
    EXPECT_EQ(shell_word("a/B_1.mtx.gz"), "a/B_1.mtx.gz");
    EXPECT_EQ(shell_word("--rtol=1e-8"), "--rtol=1e-8");
    EXPECT_EQ(shell_word("two words"), "'two words'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(NearestWord, FindsWhatWasMeant) {
    const std::array<std::string_view, 3> words{"--rtol", "--max-iterations", "--threads"};
    EXPECT_EQ(nearest_word("--rtoll", words), "--rtol");
    EXPECT_EQ(nearest_word("--rotl", words), "--rtol");                // neighbours swapped
    EXPECT_EQ(nearest_word("--max-iter", words), "--max-iterations");  // a beginning
    EXPECT_EQ(nearest_word("--maxiter", words), "--max-iterations");   // but for its hyphens
    EXPECT_EQ(nearest_word("--RTol", words), "--rtol");                // but for its case
    EXPECT_EQ(nearest_word("--colour", words), std::nullopt);
    EXPECT_EQ(nearest_word("1", std::array<std::string_view, 2>{"a", "ones"}), std::nullopt);  // nothing in common
}

TEST(ExitCodes, FollowTheReason) {
    EXPECT_EQ(exit_code_of(StopReason::converged), ExitCode::done);
    EXPECT_EQ(exit_code_of(StopReason::not_positive_definite), ExitCode::not_positive_definite);
    for (StopReason reason : {StopReason::max_iterations, StopReason::stagnated, StopReason::not_finite,
                              StopReason::interrupted, StopReason::time_limit, StopReason::running}) {
        EXPECT_EQ(exit_code_of(reason), ExitCode::not_converged);
    }
}

TEST(ExitCodes, FollowTheException) {
    EXPECT_EQ(exit_code_of(UsageError("")), ExitCode::wrong_use);
    EXPECT_EQ(exit_code_of(InvalidArgument("")), ExitCode::wrong_use);
    EXPECT_EQ(exit_code_of(FileError("f", "")), ExitCode::bad_input);
    EXPECT_EQ(exit_code_of(ParseError("f", 1, 1, "")), ExitCode::bad_input);
    EXPECT_EQ(exit_code_of(UnsuitableInput("")), ExitCode::bad_input);
    EXPECT_EQ(exit_code_of(NotPositiveDefinite("")), ExitCode::not_positive_definite);
    EXPECT_EQ(exit_code_of(OutOfMemory("x", 1, 0)), ExitCode::no_resources);
    EXPECT_EQ(exit_code_of(Error("")), ExitCode::no_resources);
}

TEST(Forecast, IsExactForGeometricConvergence) {
    // Each iteration takes 2 ms and a tenth of a decade; the target is 8 decades, 80 iterations, away.
    ConvergenceForecast forecast(1e-8, 1000);
    for (Size k = 0; k <= 40; ++k) {
        forecast.observe(k, std::pow(10.0, -0.1 * static_cast<double>(k)), 0.002 * static_cast<double>(k));
    }
    EXPECT_NEAR(forecast.fraction(), 0.5, 1e-9);
    EXPECT_NEAR(forecast.remaining().value().seconds, 40 * 0.002, 1e-9);
    EXPECT_FALSE(forecast.remaining()->is_limit);
    EXPECT_NEAR(forecast.best_residual(), 1e-4, 1e-16);
}

TEST(Forecast, TheBudgetOfIterationsBoundsIt) {
    ConvergenceForecast forecast(1e-8, 50);
    for (Size k = 0; k <= 40; ++k) forecast.observe(k, 1.0, static_cast<double>(k));  // no progress at all
    EXPECT_NEAR(forecast.fraction(), 0.8, 1e-9);
    EXPECT_NEAR(forecast.remaining().value().seconds, 10, 1e-9);
    EXPECT_TRUE(forecast.remaining()->is_limit);
}

TEST(Forecast, TheTimeLimitBoundsIt) {
    ConvergenceForecast forecast(1e-8, 1000, 30);
    for (Size k = 0; k <= 10; ++k) forecast.observe(k, std::pow(0.5, k), static_cast<double>(k));  // needs 26.6
    EXPECT_FALSE(forecast.remaining()->is_limit);
    EXPECT_NEAR(forecast.remaining()->seconds, 8 / std::log10(2.0) - 10, 1e-9);
    ConvergenceForecast hurried(1e-8, 1000, 15);
    for (Size k = 0; k <= 10; ++k) hurried.observe(k, std::pow(0.5, k), static_cast<double>(k));
    EXPECT_TRUE(hurried.remaining()->is_limit);
    EXPECT_NEAR(hurried.remaining()->seconds, 5, 1e-9);
}

TEST(Forecast, NeverFallsWhenTheResidualRises) {
    ConvergenceForecast forecast(1e-4, 1000000);
    forecast.observe(0, 1, 0);
    forecast.observe(1, 1e-2, 1);
    const double before = forecast.fraction();
    forecast.observe(2, 1e3, 2);
    EXPECT_GE(forecast.fraction(), before);
    forecast.observe(3, std::numeric_limits<double>::quiet_NaN(), 3);
    forecast.observe(4, 0, 4);
    EXPECT_NEAR(forecast.fraction(), 0.5, 1e-9);
    EXPECT_NEAR(forecast.best_residual(), 1e-2, 1e-12);
}

/// From 1 to 1e-4 within 20 iterations, and 20 more that gain nothing.
TEST(Forecast, TheMeanRateIsThatOfAllIterations) {
    ConvergenceForecast forecast(1e-8, 1000);
    EXPECT_FALSE(forecast.iterations_at_mean_rate().has_value());
    for (Size k = 0; k <= 40; ++k) {
        forecast.observe(k, std::pow(10.0, -0.2 * static_cast<double>(std::min<Size>(k, 20))), static_cast<double>(k));
    }
    EXPECT_FALSE(forecast.iterations_to_target().has_value());
    EXPECT_NEAR(forecast.iterations_at_mean_rate().value(), 40, 1e-9);
}

TEST(Forecast, SaysNothingTooEarly) {
    ConvergenceForecast forecast(1e-8, 1000);
    EXPECT_FALSE(forecast.remaining().has_value());
    forecast.observe(0, 1, 0);
    EXPECT_FALSE(forecast.remaining().has_value());
}

Progress progress_at(double remaining_seconds, bool is_limit) {
    return {.iteration = 123456,
            .relative_residual = 3.2e-5,
            .best_residual = 2.1e-5,
            .target = 1e-8,
            .fraction = 0.4,
            .remaining = ConvergenceForecast::Remaining{remaining_seconds, is_limit}};
}

TEST(ProgressText, FitsEveryWidthAndKeepsIterationAndBest) {
    for (const bool is_limit : {false, true}) {
        for (int width = 20; width <= 200; ++width) {
            const std::string text = progress_text(progress_at(7620, is_limit), width);
            EXPECT_LE(text.size(), static_cast<std::size_t>(width)) << width;
            EXPECT_NE(text.find("iteration 123,456"), std::string::npos) << text;
            EXPECT_TRUE(width < 31 || text.find("best 2.1e-05") != std::string::npos) << text;
        }
    }
    const std::string text = progress_text(progress_at(12.3, false), 120);
    for (const char* part :
         {"[####", " 40 %", "iteration 123,456", "residual 3.2e-05", "best 2.1e-05", "(to 1e-08)", "eta 12.3 s"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
}

TEST(ProgressText, CallsALimitALimit) {
    const std::string limit = progress_text(progress_at(185, true), 120);
    EXPECT_NE(limit.find("limit in 3 min 05 s"), std::string::npos) << limit;
    EXPECT_EQ(limit.find("eta"), std::string::npos) << limit;
}

TEST(ResidualPlot, ThinningKeepsExtremes) {
    std::vector<double> history(10000, 1.0);
    history[5003] = 1e6;
    history[7777] = 1e-9;
    const auto points = thinned(history, 100);
    EXPECT_LE(points.size(), 202u);
    double least = 1, greatest = 1, last = -1;
    for (const auto& [iteration, residual] : points) {
        EXPECT_GT(iteration, last);
        last = iteration;
        least = std::min(least, residual);
        greatest = std::max(greatest, residual);
    }
    EXPECT_EQ(least, 1e-9);
    EXPECT_EQ(greatest, 1e6);
}

TEST(ResidualPlot, LeavesOutWhatALogarithmCannotShow) {
    const std::vector<double> history{1.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                                      std::numeric_limits<double>::infinity(), 0.1};
    EXPECT_EQ(thinned(history, 10), (std::vector<std::pair<double, double>>{{0, 1.0}, {4, 0.1}}));
}

TEST(ResidualPlot, DrawsAnyHistory) {
    using History = std::vector<double>;
    for (const History& history : {History{}, History{0.0}, History{1.0}, History{1.0, 1e-300}, History(100000, 0.5)}) {
        for (double target : {0.0, 1e-8}) {
            const std::string svg = residual_svg({.history = history, .target = target});
            EXPECT_EQ(svg.find("nan"), std::string::npos);
            EXPECT_EQ(svg.find("inf"), std::string::npos);
            EXPECT_LT(svg.size(), 60000u);
            const bool has_points = std::any_of(history.begin(), history.end(), [](double r) { return r > 0; });
            EXPECT_EQ(svg.find(R"(class="curve" d="M)") != std::string::npos, has_points);
            EXPECT_EQ(svg.find(R"(class="target")") != std::string::npos, target > 0);
        }
    }
}

}  // namespace
}  // namespace stiefel::cli
