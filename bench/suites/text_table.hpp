#pragma once

#include <string>
#include <vector>

namespace stiefel::bench {

/// Columns side by side, texts at the left and figures at the right.
class TextTable {
public:
    /// n_names: the first so many columns hold texts.
    TextTable(std::vector<std::string> titles, std::size_t n_names) : rows_{std::move(titles)}, n_names_(n_names) {}

    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.size() == 1; }
    std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::size_t n_names_;
};

// Figures of tables; "-" for what is not there (0 or NaN).
std::string giga(double per_second);  ///< "12.3", of 1.23e10
std::string percent(double share);    ///< "83 %"
std::string times(double ratio);      ///< "1.85x"
std::string time_text(double seconds);

}  // namespace stiefel::bench
