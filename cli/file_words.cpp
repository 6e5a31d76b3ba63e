#include "stiefel/cli/file_words.hpp"

#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/cli/terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::cli {

std::string_view word_of(Symmetry symmetry) {
    switch (symmetry) {
        case Symmetry::general:
            return "general";
        case Symmetry::symmetric:
            return "symmetric";
        case Symmetry::skew_symmetric:
            return "skew-symmetric";
    }
    return "";
}

std::string_view word_of(MatrixMarketField field) {
    switch (field) {
        case MatrixMarketField::real:
            return "real";
        case MatrixMarketField::integer:
            return "integer";
        case MatrixMarketField::pattern:
            return "pattern";
    }
    return "";
}

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

std::vector<std::string> noted(const std::string& path, const std::vector<std::string>& notes) {
    std::vector<std::string> named;
    for (const std::string& note : notes) named.push_back(fmt::format("{}: {}", path, note));
    return named;
}

void note_duplicates(const std::string& path, Size n_duplicates, std::vector<std::string>& notes) {
    if (n_duplicates == 0) return;
    notes.push_back(n_duplicates == 1
                        ? fmt::format("{}: 1 entry repeats the place of another; the two were added up", path)
                        : fmt::format("{}: {} entries repeat the place of another; they were added up", path,
                                      grouped(n_duplicates)));
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) print_message("note: " + note);
}

}  // namespace stiefel::cli
