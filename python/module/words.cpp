#include "module/words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace stiefel::python {

namespace {

/// CLI11 takes them from the back.
void parse(CLI::App& app, std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
}

}  // namespace

cli::SolveOptions solve_options(const std::vector<std::string>& words) {
    cli::SolveOptions options;
    CLI::App app;
    cli::add_solve_options(app, options);
    std::vector<std::string> all{"A"};
    all.insert(all.end(), words.begin(), words.end());
    parse(app, std::move(all));
    cli::check_solve_words(options);
    return options;
}

cli::EigenCommandOptions eigen_options(const std::vector<std::string>& words) {
    cli::EigenCommandOptions options;
    CLI::App app;
    cli::add_eigen_options(app, options);
    std::vector<std::string> all{"A"};
    all.insert(all.end(), words.begin(), words.end());
    parse(app, std::move(all));
    options.matrix.clear();  // no file is looked for
    cli::check_eigen_options(options);
    options.matrix = "A";
    return options;
}

std::vector<std::string> names_of_solve_options() {
    cli::SolveOptions options;
    CLI::App app;
    cli::add_solve_options(app, options);
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back(name);
    }
    return names;
}

}  // namespace stiefel::python
