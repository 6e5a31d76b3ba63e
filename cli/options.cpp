#include "stiefel/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <system_error>
#include <utility>

namespace stiefel::cli {

namespace {

void add_parsed(CLI::App& app, const std::string& names, const OptionHelp& help,
                const std::function<void(const std::string&)>& parse) {
    app.add_option_function<std::string>(names, parse)
        ->description(help.text)
        ->type_name(help.value)
        ->group(help.group);
}

/// The first of several.
std::string long_name(const std::string& names) {
    const std::size_t begin = names.find("--");
    return names.substr(begin, names.find(',', begin) - begin);
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

/// Whole numbers may be written 1e6 as well.
std::optional<Size> parse_whole(std::string_view text) {
    if (const auto exact = parse_number<Size>(text)) return exact;
    const auto real = parse_number<double>(text);
    if (real && std::trunc(*real) == *real && std::abs(*real) <= 0x1p53) return static_cast<Size>(*real);
    return {};
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> two_above, above(b.size() + 1), row(b.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
        two_above = above;
        above = row;
    }
    return above.back();
}

/// "--maxiter" is the beginning of "--max-iterations" but for its hyphens.
std::string without_hyphens(std::string_view word) {
    std::string letters;
    std::copy_if(word.begin(), word.end(), std::back_inserter(letters), [](char c) { return c != '-'; });
    return letters;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char c, unsigned char d) { return std::tolower(c) == std::tolower(d); });
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const auto nearest = nearest_word(word, candidates);
    return nearest ? fmt::format("; did you mean '{}'?", *nearest) : "";
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
    return {words.begin(), words.end()};
}

/// Whether the next word is its value.
bool check_option(const CLI::App& app, const std::string& argument) {
    const bool is_long = argument.starts_with("--");
    const std::string name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
    const std::vector<std::string> names = option_names(app);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return argument == name && app.get_option(name)->get_expected_max() > 0;
    }
    throw UsageError(fmt::format("{} has no option {}{} ('{} --help' lists all)", app.get_name(), name,
                                 is_long ? did_you_mean(name, views(names)) : "", full_name(app)));
}

/// "-o", "-ofile"; not "-", "-1" or "-.5", which are values.
bool is_short_option(const std::string& argument) {
    return argument.size() > 1 && argument[0] == '-' && std::isalpha(static_cast<unsigned char>(argument[1])) != 0;
}

/// The command that a word calls. Throws UsageError if there is none.
const CLI::App* find_command(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == word) return command;
        names.push_back(command->get_name());
    }
    const bool is_program = app.get_parent() == nullptr;
    if (std::error_code error; is_program && std::filesystem::exists(word, error)) {
        throw UsageError(
            fmt::format("what shall be done with {0}? 'stiefel solve {0}' solves with it as the matrix, "
                        "'stiefel info {0}' describes it; 'stiefel --help' lists all commands",
                        word));
    }
    throw UsageError(fmt::format("{}'{}' is no {}; there are {}{}", is_program ? "" : app.get_name() + ": ", word,
                                 is_program ? "command" : "kind of matrix", fmt::join(names, ", "),
                                 did_you_mean(word, views(names))));
}

}  // namespace

void add_word(CLI::App& app, const std::string& name, std::vector<std::string_view> words,
              std::function<void(std::size_t)> take, const OptionHelp& help) {
    const std::string listed = fmt::format("{}", fmt::join(words, "|"));
    app.add_option_function<std::string>(name, [name, words = std::move(words), take = std::move(take)](
                                                   const std::string& given) { take(find_word(name, given, words)); })
        ->description(help.text)
        ->type_name(listed)
        ->group(help.group);
}

void add_text(CLI::App& app, const std::string& names, std::string& target, const OptionHelp& help) {
    add_parsed(app, names, help, [&target, flag = long_name(names)](const std::string& text) {
        if (text.empty()) throw UsageError(fmt::format("{}: the value is empty", flag));
        target = text;
    });
}

void add_real(CLI::App& app, const std::string& names, double& target, double least, const OptionHelp& help) {
    add_parsed(app, names, help, [&target, least, flag = long_name(names)](const std::string& text) {
        const auto value = parse_number<double>(text);
        if (!value || !(*value >= least) || !std::isfinite(*value)) {
            throw UsageError(fmt::format("{}: expected a number of at least {}, got '{}'", flag, least, text));
        }
        target = *value;
    });
}

void add_rtol(CLI::App& app, const std::string& names, double& target, const OptionHelp& help) {
    add_parsed(app, names, help, [&target, flag = long_name(names)](const std::string& text) {
        const auto value = parse_number<double>(text);
        if (!value || !(*value >= 0) || !(*value < 1)) {
            throw UsageError(
                fmt::format("{}: expected a number of at least 0 and below 1, got '{}'; a relative tolerance of 1 is "
                            "met by no work "
                            "at all",
                            flag, text));
        }
        target = *value;
    });
}

void add_whole(CLI::App& app, const std::string& names, Size& target, Size least, Size most, const OptionHelp& help) {
    add_parsed(app, names, help, [&target, least, most, flag = long_name(names)](const std::string& text) {
        const auto value = parse_whole(text);
        if (!value || *value < least) {
            throw UsageError(fmt::format("{}: expected a whole number of at least {}, got '{}'", flag, least, text));
        }
        if (*value > most) throw UsageError(fmt::format("{}: expected at most {}, got {}", flag, most, text));
        target = *value;
    });
}

void add_flag(CLI::App& app, const std::string& names, bool& target, const OptionHelp& help) {
    app.add_flag(names, target)->description(help.text)->group(help.group);
}

std::size_t find_word(std::string_view flag, std::string_view word, std::span<const std::string_view> words) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    throw UsageError(fmt::format("{}: expected one of {}; got '{}'{}", flag, fmt::join(words, ", "), word,
                                 did_you_mean(word, words)));
}

std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string beginning = without_hyphens(word);
    std::optional<std::string_view> nearest;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (std::string_view candidate : candidates) {
        if (equal_but_for_case(word, candidate)) return candidate;
        const bool is_beginning = word.size() >= 3 && without_hyphens(candidate).starts_with(beginning);
        const std::size_t distance = is_beginning ? 1 : edit_distance(word, candidate);
        if (distance < least && distance < word.size()) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string full_name(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

void check_spelling(const CLI::App& program, std::span<const std::string> arguments) {
    const CLI::App* app = &program;
    bool value_follows = false;
    for (const std::string& argument : arguments) {
        const bool may_be_value = std::exchange(value_follows, false);
        if (argument == "--") return;
        if (argument.starts_with("--") || is_short_option(argument)) {
            value_follows = check_option(*app, argument);
        } else if (!may_be_value && !app->get_subcommands([](const CLI::App*) { return true; }).empty()) {
            app = find_command(*app, argument);
        }
    }
}

}  // namespace stiefel::cli
