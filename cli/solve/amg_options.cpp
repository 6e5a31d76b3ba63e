#include "stiefel/cli/solve/amg_options.hpp"

#include "stiefel/cli/exit_code.hpp"
#include "stiefel/cli/report/numbers.hpp"
#include "stiefel/preconditioner/amg/coarsenings.hpp"
#include "stiefel/preconditioner/amg/cycles.hpp"
#include "stiefel/preconditioner/amg/smoothers.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>

namespace stiefel::cli {

namespace {

template <class List>
constexpr auto names_of(const List& list) {
    std::array<Choice<std::string_view>, std::tuple_size_v<List>> choices{};
    for (std::size_t k = 0; k < list.size(); ++k) choices[k] = {list[k].name, list[k].name};
    return choices;
}

template <class List>
std::string listed(std::string_view what, const List& list, std::string_view taken) {
    std::string text(what);
    for (const auto& entry : list) text += fmt::format("{}: {}; ", entry.name, entry.description);
    text.resize(text.size() - 2);
    return fmt::format("{} [{}]", text, taken);
}

struct Part {
    std::string_view name, description;
};

// A host has all that there are. By their types alone: how they are made is compiled elsewhere.
constexpr auto every_smoother = []<class... Listed>(std::type_identity<std::tuple<Listed...>>) {
    return std::array{Part{Listed::name, Listed::description}...};
}(std::type_identity<amg::HostSmoothers>());
constexpr auto smoother_choices = names_of(every_smoother);
constexpr auto coarsening_choices = names_of(amg::coarsenings);
constexpr auto cycle_choices = names_of(amg::cycles);

/// The unknowns a node that n rows and these coordinates of nodes make. Throws UnsuitableInput.
Index block_of(const AmgWords& words, const DenseArray<double>& coordinates, Size n) {
    const auto refuse = [&](const std::string& what) {
        throw UnsuitableInput(fmt::format("{} (--coordinates): {}", words.coordinates, what));
    };
    const Index nodes = coordinates.n_rows, dimensions = coordinates.n_cols;
    if (dimensions != 2 && dimensions != 3) {
        refuse(fmt::format("{} a row, expected the 2 or 3 coordinates of a node", counted(dimensions, "number")));
    }
    const Size block = nodes > 0 && n % nodes == 0 ? n / nodes : 0;
    const bool fits = dimensions == 2 ? block == 2 : block == 3 || block == 6;
    if (!fits) {
        refuse(fmt::format(
            "{} of {} numbers, and the matrix has {} rows: {}", counted(nodes, "row"), dimensions, grouped(n),
            dimensions == 2 ? "a node in the plane has 2 unknowns" : "a node in space has 3 unknowns, or 6"));
    }
    return static_cast<Index>(block);
}

}  // namespace

std::string_view AmgWords::given() const {
    const AmgWords untold;
    if (block_size > 0) return "--block-size";
    if (!coordinates.empty()) return "--coordinates";
    if (coarsening != untold.coarsening) return "--amg-coarsening";
    if (smoother != untold.smoother) return "--amg-smoother";
    return cycle != untold.cycle ? "--amg-cycle" : "";
}

void add_amg_options(CLI::App& command, AmgWords& words) {
    const std::string group = "Multigrid (--preconditioner amg)";
    constexpr Size most = 12;
    add_whole(command, "--block-size", words.block_size, 1, most,
              {"N", group,
               "unknowns at each node, those of a node one behind the other: displacements, say "
               "[found from pattern and signs, or as --coordinates says]"});
    add_text(command, "--coordinates", words.coordinates,
             {"FILE|archive", group,
              "where the nodes of an elastic body are, a row of 2 or 3 numbers each: rigid-body modes halve the "
              "iterations; archive: NAME_coord.mtx of the same .tar.gz"});
    add_choice<std::string_view>(
        command, "--amg-coarsening", words.coarsening, coarsening_choices,
        {"", group, listed("how coarser levels are made; ", amg::coarsenings, words.coarsening)});
    add_choice<std::string_view>(
        command, "--amg-smoother", words.smoother, smoother_choices,
        {"", group, listed("what smooths errors on a level; ", every_smoother, words.smoother)});
    add_choice<std::string_view>(command, "--amg-cycle", words.cycle, cycle_choices,
                                 {"", group, listed("how often a level is visited; ", amg::cycles, words.cycle)});
}

DenseArray<double> read_coordinates(const AmgWords& words, const std::string& matrix, int threads) {
    if (words.coordinates.empty()) return {};
    return read_points<double>(words.coordinates == "archive" ? matrix : words.coordinates, {.threads = threads});
}

Index said_block_size(const AmgWords& words, const DenseArray<double>& coordinates, Size n) {
    const auto said = static_cast<Index>(words.block_size);
    if (said > 0 && n % said != 0) {
        throw UsageError(
            fmt::format("--block-size {}: it does not divide the {} rows of the matrix", said, grouped(n)));
    }
    if (words.coordinates.empty()) return said;
    const Index block = block_of(words, coordinates, n);
    if (said > 0 && said != block) {
        throw UsageError(fmt::format("--block-size {}: the {} in {} (--coordinates) make {} unknowns each", said,
                                     counted(coordinates.n_rows, "node"), words.coordinates, block));
    }
    return block;
}

amg::SetupOptions amg_setup(const AmgWords& words, Index block_size, const DenseArray<double>& coordinates) {
    amg::SetupOptions setup{
        .block_size = block_size, .coarsening = words.coarsening, .smoother = words.smoother, .cycle = words.cycle};
    if (words.coordinates.empty()) return setup;
    setup.coordinates = {.nodes = coordinates.n_rows,
                         .dimensions = coordinates.n_cols,
                         .values = {coordinates.values.data(), static_cast<std::size_t>(coordinates.values.size())}};
    return setup;
}

}  // namespace stiefel::cli
