// The drawings of report pages, and what they are made of.

#include "stiefel/cli/report/figures/axes.hpp"
#include "stiefel/cli/report/figures/pattern_picture.hpp"
#include "stiefel/cli/report/figures/residual_plot.hpp"
#include "stiefel/cli/report/figures/roofline_plot.hpp"
#include "stiefel/cli/report/figures/row_length_plot.hpp"
#include "stiefel/cli/report/figures/time_bar.hpp"
#include "stiefel/cli/report/html_page.hpp"
#include "stiefel/cli/report/iteration_marks.hpp"
#include "stiefel/problems/power_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace stiefel::cli {
namespace {

using Words = std::vector<std::string>;

Words labels_of(const std::vector<Tick>& ticks) {
    Words labels;
    for (const Tick& tick : ticks) labels.push_back(tick.label);
    return labels;
}

/// Fails if there is a number in the drawing that is none.
void expect_numbers(const std::string& svg) {
    for (const char* part : {"nan", "inf", "e+", "e-"}) {
        for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) {
            // It may stand in words and in names, but not where a place is told.
            const std::string element = svg.substr(svg.rfind('<', at), at - svg.rfind('<', at));
            const bool has_places = element.starts_with("<path") || element.starts_with("<rect") ||
                                    element.starts_with("<circle") || element.starts_with("<text") ||
                                    element.starts_with("<g");
            EXPECT_FALSE(has_places && element.find('>') == std::string::npos) << element;
        }
    }
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

TEST(Axes, NumbersAreShort) {
    EXPECT_EQ(decade_text(-8), "10⁻⁸");
    EXPECT_EQ(decade_text(12), "10¹²");
    EXPECT_EQ(decade_text(-2), "0.01");
    EXPECT_EQ(decade_text(0), "1");
    EXPECT_EQ(compact(0), "0");
    EXPECT_EQ(compact(9500), "9,500");
    EXPECT_EQ(compact(12500), "12.5k");
    EXPECT_EQ(compact(1e6), "1M");
    EXPECT_EQ(compact(999.9e6), "1G");
}

TEST(Axes, TicksAreRoundAndNoMoreThanHaveRoom) {
    EXPECT_EQ(labels_of(even_ticks(312, 5, true)), (Words{"0", "100", "200", "300"}));
    EXPECT_EQ(labels_of(even_ticks(1, 5, true)), (Words{"0", "1"}));
    EXPECT_EQ(labels_of(even_ticks(0.9, 5, false)), (Words{"0", "0.2", "0.4", "0.6", "0.8"}));
    EXPECT_EQ(labels_of(even_ticks(0, 5, false)), Words{"0"});
    EXPECT_EQ(labels_of(decade_ticks(-3, 0, 8)), (Words{"1", "0.1", "0.01", "10⁻³"}));
    EXPECT_EQ(labels_of(log_ticks(-1.1, 0.1, 7)), (Words{"0.1", "0.2", "0.5", "1"}));
    EXPECT_EQ(labels_of(log_ticks(-4, 4, 5)), (Words{"10000", "100", "1", "0.01", "10⁻⁴"}));
    for (double high = 1e-9; high < 1e15; high *= 1.7) {
        EXPECT_LE(even_ticks(high, 5, false).size(), 6u) << high;
        EXPECT_GE(even_ticks(high, 5, false).size(), 3u) << high;
    }
    for (double low = -1; low > -320; low -= 1) EXPECT_LE(decade_ticks(low, 3, 8).size(), 8u) << low;
}

TEST(IterationMarks, AreInterpolatedAndStayFew) {
    IterationMarks marks;
    EXPECT_TRUE(marks.empty());
    EXPECT_EQ(marks.seconds_at(3), 0.0);
    for (Size k = 0; k <= 1'000'000; ++k) marks.add(k, 1e-3 * static_cast<double>(k));
    marks.add(1'000'000, 5000);  // told again
    for (Size k : {0, 1, 999, 123'457, 999'999, 1'000'000, 2'000'000}) {
        EXPECT_NEAR(marks.seconds_at(k), 1e-3 * static_cast<double>(std::min<Size>(k, 1'000'000)), 1e-9) << k;
    }
    EXPECT_LT(sizeof(marks), 200u);
    IterationMarks late;
    late.add(10, 1);
    late.add(20, 3);
    EXPECT_EQ(late.seconds_at(0), 1.0);
    EXPECT_EQ(late.seconds_at(15), 2.0);
    EXPECT_EQ(late.seconds_at(25), 3.0);
}

TEST(ResidualFigure, DrawsEverySolveLineAndBound) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> history{1, 0.1, nan, 0.01, 2, 0.2, 0.02};
    IterationMarks marks;
    for (Size k = 0; k < 7; ++k) marks.add(k, 0.004 * static_cast<double>(k));
    const ResidualPlot plot{.history = history,
                            .starts = {0, 4},
                            .changes = {{1, "amg"}},
                            .target = 1e-8,
                            .attainable = 1e-6,
                            .error_factor = 100};
    for (const std::string& svg : {residual_svg(plot), residual_svg(plot, marks)}) {
        expect_numbers(svg);
        for (const char* part : {"class=\"target\"", "class=\"limit\"", "class=\"bound\"", "amg →", "asked for 1e-08",
                                 "rounding may leave 1e-06", "role=\"img\"", "<title ", "<desc "}) {
            EXPECT_EQ(count(svg, part), 1u) << part << " in\n" << svg;
        }
        const std::size_t begin = svg.find("class=\"curve\" d=\"");
        ASSERT_NE(begin, std::string::npos);
        const std::string curve = svg.substr(begin, svg.find("/>", begin) - begin);
        EXPECT_EQ(count(curve, "M"), 2u) << "a curve a solve: " << curve;
        EXPECT_EQ(count(curve, "L"), 4u) << "without the NaN: " << curve;
    }
    EXPECT_NE(residual_svg(plot).find("From 1 to 0.02 in 6 iterations. Asked for was 1e-08."), std::string::npos);
    EXPECT_NE(residual_svg(plot, marks).find("From 1 to 0.02 in 24.0 ms."), std::string::npos);
    EXPECT_NE(residual_svg(plot, marks).find("time in ms"), std::string::npos);
    EXPECT_NE(residual_svg(plot).find(">iteration<"), std::string::npos);
}

TEST(ResidualFigure, StaysSmallWithManySolves) {
    std::vector<double> history;
    ResidualPlot plot;
    for (Size solve = 0; solve < 2000; ++solve) {
        plot.starts.push_back(static_cast<Size>(history.size()));
        for (int k = 0; k < 50; ++k) history.push_back(std::pow(0.5, k));
    }
    plot.history = history;
    EXPECT_LT(residual_svg(plot).size(), 300'000u);
}

KernelTime kernel(const char* name, double bytes, double flops, double seconds) {
    return {.name = name, .calls = 10, .seconds = seconds, .work = {.bytes = bytes, .flops = flops}};
}

TEST(Roofline, PutsKernelsOnTheirRates) {
    const std::vector<KernelTime> kernels{kernel("spmv_dot", 1e9, 2e8, 1),
                                          kernel("cg_update", 2e9, 1e8, 1),
                                          kernel("uncounted", 0, 0, 1),
                                          kernel("never", 1e9, 1e8, 0),
                                          {.name = "not called", .work = {.bytes = 1e9, .flops = 1e8}}};
    const std::string svg = roofline_svg(kernels, Roof{"memory", 20e9});
    expect_numbers(svg);
    EXPECT_EQ(count(svg, "<circle"), 2u);
    EXPECT_EQ(count(svg, "class=\"roof\""), 1u);
    EXPECT_NE(svg.find("memory: 20.0 GB/s"), std::string::npos);
    EXPECT_NE(svg.find("spmv_dot: 0.200 flops a byte, 2.00 GFLOP/s, 10.0 GB/s, 0.50 of the line"), std::string::npos)
        << svg;

    const std::string with_peak = roofline_svg(kernels, Roof{"memory", 20e9, 2.5e9});
    expect_numbers(with_peak);
    EXPECT_EQ(count(with_peak, "class=\"roof\""), 2u) << "slanted, then level";
    EXPECT_NE(with_peak.find("2.50 GFLOP/s"), std::string::npos);
    EXPECT_NE(with_peak.find("10.0 GB/s, 0.80 of the line"), std::string::npos) << "which is level there";

    const std::string in_cache = roofline_svg(kernels, {});
    EXPECT_EQ(count(in_cache, "<circle"), 2u);
    EXPECT_EQ(count(in_cache, "class=\"roof\""), 0u);
    EXPECT_EQ(roofline_svg({kernel("uncounted", 0, 0, 1)}, Roof{"memory", 20e9}), "");
    EXPECT_EQ(roofline_svg({}, {}), "");
}

/// Where the names of a roofline stand, from the top.
std::vector<double> places_of_names(const std::string& svg) {
    std::vector<double> places;
    for (std::size_t at = svg.find(">k<"); at != std::string::npos; at = svg.find(">k<", at + 1)) {
        const std::size_t y = svg.rfind(" y=\"", at);
        places.push_back(std::stod(svg.substr(y + 4)));
    }
    return places;
}

TEST(Roofline, NamesDoNotLieOverEachOther) {
    std::vector<KernelTime> kernels;
    for (int k = 0; k < 12; ++k) kernels.push_back(kernel("k", 1e9, 2e8, 1 + 1e-3 * k));
    const std::vector<double> places = places_of_names(roofline_svg(kernels, Roof{"memory", 20e9}));
    ASSERT_EQ(places.size(), kernels.size());
    for (std::size_t k = 1; k < kernels.size(); ++k) EXPECT_GE(places[k] - places[k - 1], 14) << k;
    EXPECT_LE(places.back(), 292);

    const std::string with_peak = roofline_svg(kernels, Roof{"memory", 20e9, 10e9});
    const double level = std::stod(with_peak.substr(with_peak.rfind(" y=\"", with_peak.find(">10.0 GFLOP/s<")) + 4));
    for (const double place : places_of_names(with_peak)) EXPECT_GE(place - level, 14) << "the peak has a name as well";
}

TEST(PatternPicture, HoldsEveryCellThatHasAnEntry) {
    OpenMP backend(2);
    const auto a = power_law_rows<double>(backend, 4000, 4000);
    const PatternRaster raster = pattern_raster(backend, a);
    const std::string svg = pattern_svg(raster);
    expect_numbers(svg);
    Index drawn = 0;
    for (std::size_t at = svg.find("class=\"cells"); at != std::string::npos; at = svg.find("class=\"cells", at + 1)) {
        std::istringstream data(svg.substr(svg.find("d=\"", at) + 3, svg.find("/>", at) - svg.find("d=\"", at) - 4));
        Index x = 0, y = 0, length = 0;
        for (char letter = 0; data >> letter >> x >> y >> letter >> length; drawn += length) ASSERT_EQ(letter, 'h');
    }
    const auto filled = std::count_if(raster.counts.begin(), raster.counts.end(), [](Size n) { return n > 0; });
    EXPECT_EQ(drawn, filled);
    EXPECT_LT(svg.size(), 100'000u);
}

TEST(PatternPicture, DrawsAnyRaster) {
    OpenMP backend(1);
    for (const auto& [size, said] : {std::pair{Index{0}, "No entry is stored."},
                                     {Index{3}, "Every stored entry has a square of its own."},
                                     {Index{1000}, "Each square stands for some 11 x 11 places"}}) {
        HostVector<std::int32_t> row_ptr(Size{size} + 1);
        for (Index i = 0; i <= size; ++i) row_ptr[i] = i;
        HostCsr<double> a{.n_rows = size, .n_cols = size, .row_ptr = RowOffsets<HostMemory>(std::move(row_ptr))};
        a.col_idx = HostVector<Index>(size);
        a.values = HostVector<double>(size, 1.0);
        for (Index i = 0; i < size; ++i) a.col_idx[i] = i;
        const PatternRaster raster = pattern_raster(backend, a);
        expect_numbers(pattern_svg(raster));
        EXPECT_NE(pattern_caption(raster).find(said), std::string::npos) << pattern_caption(raster);
    }
}

TEST(RowLengthFigure, HasABarForEachBinWithRows) {
    const std::string svg = row_lengths_svg({.bins = {{2, 2, 2}, {3, 3, 0}, {4, 4, 98}}});
    expect_numbers(svg);
    EXPECT_EQ(count(svg, "class=\"bar\""), 2u);
    EXPECT_NE(svg.find("2 rows of 2 entries; 98 rows of 4 entries."), std::string::npos);
    const std::string wide =
        row_lengths_svg({.bins = {{0, 0, 1}, {1, 1, 5}, {2, 3, 2'000'000}}, .is_logarithmic = true});
    expect_numbers(wide);
    EXPECT_NE(wide.find("10⁵"), std::string::npos) << "rows on a logarithmic axis";
    expect_numbers(row_lengths_svg({}));
}

TEST(TimeBar, PartsAreTheTotal) {
    ComputationReport report;
    report.seconds = {.read = 1, .convert = 2, .choose = 0.5, .examine = 0.25, .setup = 3, .solve = 4, .total = 12};
    report.preconditioner.seconds = 2.5;
    const std::vector<KernelTime> kernels{kernel("a", 1, 1, 1), kernel("b", 1, 1, 2)};
    const auto seconds_of = [](const std::vector<TimePart>& parts, const std::string& name) {
        double seconds = -1;
        for (const TimePart& part : parts) seconds = part.name == name ? part.seconds : seconds;
        return seconds;
    };
    for (const char* backend : {"openmp", "cuda"}) {
        report.backend.name = backend;
        const std::vector<TimePart> parts = time_breakdown(report, kernels);
        double sum = 0;
        for (const TimePart& part : parts) sum += part.seconds;
        EXPECT_NEAR(sum, 12, 1e-12);
        EXPECT_EQ(seconds_of(parts, "convert"), 1.5);
        EXPECT_EQ(seconds_of(parts, "choose format and kernel"), 0.5);
        EXPECT_EQ(seconds_of(parts, "check and prepare"), 0.5);
        EXPECT_EQ(seconds_of(parts, "upload"), -1) << "nothing was";
        EXPECT_EQ(seconds_of(parts, "all else"), 1.75);
        expect_numbers(time_bar_svg(parts));
        EXPECT_EQ(count(time_bar_svg(parts), "<rect"), parts.size());
    }
    report.backend.name = "openmp";
    EXPECT_EQ(seconds_of(time_breakdown(report, kernels), "solve: b"), 2.0);
    EXPECT_EQ(seconds_of(time_breakdown(report, kernels), "solve: checks and all else"), 1.0);
    report.backend.name = "cuda";  // a sample: they share all of it
    EXPECT_NEAR(seconds_of(time_breakdown(report, kernels), "solve: b"), 8.0 / 3, 1e-12);
    EXPECT_TRUE(time_breakdown({}, {}).empty());
}

TEST(TimeBar, ManyKernelsShareAColour) {
    ComputationReport report;
    report.seconds = {.solve = 55, .total = 55};
    std::vector<KernelTime> kernels;
    for (int k = 1; k <= 10; ++k) kernels.push_back(kernel("k", 1, 1, k));
    const std::vector<TimePart> parts = time_breakdown(report, kernels);
    ASSERT_EQ(parts.size(), 6u);
    EXPECT_EQ(parts.back().name, "solve: other kernels");
    EXPECT_EQ(parts.back().seconds, 1 + 2 + 3 + 4 + 5);
}

TEST(HtmlPage, KeepsNumbersOnOneLine) {
    HtmlPage page("stiefel solve", "a.mtx", {.outcome = "so", .sentences = {"from 1e-08 to <2.5e-10, he-2 e-"}});
    const std::string expected =
        "<p>from <span class=\"number\">1e-08</span> to &lt;<span class=\"number\">2.5e-10</span>, he-2 e-</p>";
    EXPECT_NE(page.text().find(expected), std::string::npos) << page.text();
}

TEST(HtmlPage, JsonCannotEndItsElement) {
    HtmlPage page("stiefel solve", "a</script>.mtx", {.outcome = "it is <b>"});
    page.json(R"({"path": "a</script><!--.mtx"})");
    const std::string text = page.text();
    EXPECT_EQ(count(text, "</script>"), 1u);
    EXPECT_EQ(count(text, "<!--"), 0u);
    EXPECT_NE(text.find(R"({"path": "a\u003c/script>\u003c!--.mtx"})"), std::string::npos);
    EXPECT_NE(text.find("a&lt;/script&gt;.mtx"), std::string::npos);
    EXPECT_EQ(text.find("<b>"), std::string::npos);
}

}  // namespace
}  // namespace stiefel::cli
