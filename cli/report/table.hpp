#pragma once

#include "stiefel/cli/report/labelled_lines.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace stiefel::cli {

/// Rows of figures, in whatever form they are shown. The first cell of a row names it.
struct Table {
    struct Column {
        std::string title;
        std::size_t width = 0;   ///< at least, in text
        bool is_figures = true;  ///< aligned at the right
    };

    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows = {};  ///< cells; an empty one has nothing to tell

    bool empty() const { return rows.empty(); }
};

/// The table as text: columns side by side where the page is wide enough, else a paragraph for each row, its name
/// followed by "title cell" of the others.
void add_table(LabelledLines& page, const Table& table);

}  // namespace stiefel::cli
