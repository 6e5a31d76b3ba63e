#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace stiefel::cli {

/// What a shell may complete an option's value or an argument with.
struct Values {
    std::vector<std::string> words;
    bool files = false;
};

struct OptionDescription {
    std::vector<std::string> names;  ///< "-o", "--output", short ones first; of an argument its one name, "A.mtx"
    std::string value;               ///< "FILE", "auto|serial|openmp|cuda"; empty for a flag
    std::string group;
    std::string text;
    bool required = false;
    bool repeats = false;  ///< an argument that may be given several times
    Values values;

    bool operator==(const OptionDescription& other) const { return names == other.names && text == other.text; }
};

/// A line of what stands below the options: a paragraph (empty: a blank line), or an example and what it does.
struct ClosingLine {
    bool is_example = false;
    std::string text;
    std::string does;
};

/// A command, or the program itself, as its options declare it: what help pages, manual pages and completions are
/// written from.
struct CommandDescription {
    std::string name;               ///< "solve"
    std::vector<std::string> path;  ///< the words behind the program's name that call it: {"generate", "poisson3d"}
    std::string group;              ///< the title that it is listed under
    std::string text;               ///< what it does
    std::string usage;              ///< "stiefel solve A.mtx [OPTIONS]"
    std::vector<OptionDescription> arguments;
    std::vector<OptionDescription> options;
    std::vector<CommandDescription> commands;
    std::vector<ClosingLine> closing;
};

CommandDescription describe(const CLI::App& app);

/// "stiefel convert IN OUT [OPTIONS]": how a command is called.
std::string usage_line(const CLI::App& app);

/// The beginning of an option's text, for lists that have a line for each: without its default, cut where what follows
/// goes into detail, and to some 70 characters.
std::string in_brief(std::string_view text);

}  // namespace stiefel::cli
