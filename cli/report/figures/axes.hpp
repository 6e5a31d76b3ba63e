#pragma once

#include "stiefel/cli/report/figures/svg.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace stiefel::cli {

/// From values to places of a drawing, along x or y. A logarithmic one holds decades: its values are logarithms.
struct Scale {
    double low = 0;
    double high = 1;
    double begin = 0;  ///< where `low` lies
    double end = 1;    ///< where `high` does

    double at(double value) const { return begin + (end - begin) * (value - low) / (high - low); }
};

/// A place of an axis that has a number.
struct Tick {
    double value = 0;  ///< in the scale's values
    std::string label = {};
};

/// "10⁻⁸", "100", "0.01": a power of ten, in digits where they are few.
std::string decade_text(int exponent);

/// "9,500", "12.5k", "1M": a count in at most five letters.
std::string compact(double count);

/// Whole decades from `low` to `high`, at most `most` of them, evenly spaced from the top.
std::vector<Tick> decade_ticks(double low, double high, int most);

/// The same where decades are few: 1, 2 and 5 times powers of ten as well, if no more than `most` lie in the range.
std::vector<Tick> log_ticks(double low, double high, int most);

/// Multiples of 1, 2 or 5 times a power of ten from 0 to `high`, at most `most` and `most + 1` with 0. `whole`: of
/// integers, compact.
std::vector<Tick> even_ticks(double high, int most, bool whole);

/// What the values of an axis from 0 to `seconds` are shown in.
struct TimeUnit {
    const char* name;  ///< "s", "ms", "µs"
    double seconds;
};
TimeUnit time_unit(double seconds);

/// The part of a drawing between the axes: grid lines at y's numbers, numbers at both, and the titles of the axes, that
/// of y over it.
struct Frame {
    Scale x = {};  ///< from left to right
    Scale y = {};  ///< from bottom to top

    void draw(Svg& svg, const std::vector<Tick>& x_ticks, std::string_view x_title, const std::vector<Tick>& y_ticks,
              std::string_view y_title) const;
};

/// The size of the drawings, so that two lie beside each other on a wide screen and one fills a phone's; and the frame
/// in it, with room for numbers at its left and below.
inline constexpr double figure_width = 376, figure_height = 264;
inline constexpr double frame_left = 50, frame_right = figure_width - 14, frame_top = 34,
                        frame_bottom = figure_height - 42;

}  // namespace stiefel::cli
