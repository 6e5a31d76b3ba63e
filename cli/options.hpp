#pragma once

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/core/types.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;  // files that define no options need not read all of CLI11
}

namespace stiefel::cli {

// Options as this program wants them: every fault is a UsageError that names the flag, what was found, what was
// expected, and the nearest word where one was probably meant. `names` is CLI11's: "-o,--output".

/// How a help page calls an option's value and files the option.
struct OptionHelp {
    std::string value;  ///< "FILE", "N"; empty for a flag
    std::string group;
    std::string text;
};

void add_text(CLI::App& app, const std::string& names, std::string& target, const OptionHelp& help);
void add_real(CLI::App& app, const std::string& names, double& target, double least, const OptionHelp& help);
/// A relative tolerance: at least 0 and below 1.
void add_rtol(CLI::App& app, const std::string& names, double& target, const OptionHelp& help);
void add_whole(CLI::App& app, const std::string& names, Size& target, Size least, Size most, const OptionHelp& help);
void add_flag(CLI::App& app, const std::string& names, bool& target, const OptionHelp& help);

/// A word and what it stands for.
template <class E>
struct Choice {
    std::string_view word;
    E value;
};

/// The position of `word` among `words`, or UsageError naming them all.
std::size_t find_word(std::string_view flag, std::string_view word, std::span<const std::string_view> words);

/// One of a list of words, of which it takes the position; the help shows them as the option's value:
/// "auto|serial|openmp".
void add_word(CLI::App& app, const std::string& name, std::vector<std::string_view> words,
              std::function<void(std::size_t)> take, const OptionHelp& help);

template <class E>
void add_choice(CLI::App& app, const std::string& name, E& target, std::span<const Choice<E>> choices,
                const OptionHelp& help) {
    std::vector<std::string_view> words;
    for (const Choice<E>& choice : choices) words.push_back(choice.word);
    add_word(
        app, name, std::move(words), [&target, choices](std::size_t at) { target = choices[at].value; }, help);
}

template <class E>
std::string_view word_of(E value, std::span<const Choice<E>> choices) {
    for (const Choice<E>& choice : choices) {
        if (choice.value == value) return choice.word;
    }
    return {};
}

/// The candidate that `word` is most probably a misspelling or the beginning of, if any is near enough.
std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> candidates);

/// "stiefel solve": the words that call a command.
std::string full_name(const CLI::App& app);

/// Throws UsageError with a suggestion if a word of the command line is no command, or no option of its command.
void check_spelling(const CLI::App& program, std::span<const std::string> arguments);

}  // namespace stiefel::cli
