#include "stiefel/problems/problem_list.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/elasticity.hpp"
#include "stiefel/problems/graph_laplacian.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/power_law.hpp"
#include "stiefel/problems/random_csr.hpp"
#include "stiefel/problems/random_spd.hpp"
#include "stiefel/problems/stencil27.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stiefel {

namespace {

// The generators, called with arguments by name.

using Arguments = const ProblemArguments&;

JumpDiffusionOptions jumps(Arguments a) {
    return {.contrast = a.real("contrast"), .brick = a.index("brick"), .seed = a.seed("seed")};
}

ElasticMaterial material(Arguments a) {
    return {.young = a.real("young"), .poisson = a.real("poisson")};
}

GraphLaplacianOptions laplacian(Arguments a) {
    return {.degree = a.real("degree"), .shift = a.real("shift"), .seed = a.seed("seed")};
}

RandomSpdOptions dominance(Arguments a) {
    return {.degree = a.real("degree"), .shift = a.real("shift"), .seed = a.seed("seed")};
}

PowerLawOptions power_law(Arguments a) {
    return {.mean = a.real("mean"), .exponent = a.real("exponent"), .skew = a.real("skew"), .seed = a.seed("seed")};
}

template <class T>
HostCsr<T> make_poisson1d(OpenMP& backend, Arguments a) {
    return poisson1d<T>(backend, a.index("nx"));
}

template <class T>
HostCsr<T> make_poisson2d(OpenMP& backend, Arguments a) {
    return poisson2d<T>(backend, a.index("nx"), a.index("ny"));
}

template <class T>
HostCsr<T> make_poisson3d(OpenMP& backend, Arguments a) {
    return poisson3d<T>(backend, a.index("nx"), a.index("ny"), a.index("nz"));
}

template <class T>
HostCsr<T> make_anisotropic2d(OpenMP& backend, Arguments a) {
    return anisotropic2d<T>(backend, a.index("nx"), a.index("ny"), a.real("epsilon"));
}

template <class T>
HostCsr<T> make_jump_diffusion3d(OpenMP& backend, Arguments a) {
    return jump_diffusion3d<T>(backend, a.index("nx"), a.index("ny"), a.index("nz"), jumps(a));
}

template <class T>
HostCsr<T> make_stencil27(OpenMP& backend, Arguments a) {
    return stencil27<T>(backend, a.index("nx"), a.index("ny"), a.index("nz"));
}

template <class T>
HostCsr<T> make_elasticity3d(OpenMP& backend, Arguments a) {
    return elasticity3d<T>(backend, a.index("nx"), a.index("ny"), a.index("nz"), material(a));
}

HostVector<double> make_elasticity3d_nodes(Arguments a) {
    return elasticity3d_nodes(a.index("nx"), a.index("ny"), a.index("nz"));
}

template <class T>
HostCsr<T> make_graph_laplacian(OpenMP& backend, Arguments a) {
    return graph_laplacian<T>(backend, a.index("n"), laplacian(a));
}

template <class T>
HostCsr<T> make_random_spd(OpenMP& backend, Arguments a) {
    return random_spd<T>(backend, a.index("n"), dominance(a));
}

template <class T>
HostCsr<T> make_random_csr(OpenMP& backend, Arguments a) {
    return random_csr<T>(backend, a.index("n_rows"), a.index("n_cols"), a.real("density"), a.seed("seed"));
}

template <class T>
HostCsr<T> make_power_law_rows(OpenMP& backend, Arguments a) {
    return power_law_rows<T>(backend, a.index("n_rows"), a.index("n_cols"), power_law(a));
}

// Rows of the same.

RowSource rows_of_poisson1d(Arguments a) {
    return poisson1d_source(a.index("nx"));
}

RowSource rows_of_poisson2d(Arguments a) {
    return poisson2d_source(a.index("nx"), a.index("ny"));
}

RowSource rows_of_poisson3d(Arguments a) {
    return poisson3d_source(a.index("nx"), a.index("ny"), a.index("nz"));
}

RowSource rows_of_stencil27(Arguments a) {
    return stencil27_source(a.index("nx"), a.index("ny"), a.index("nz"));
}

RowSource rows_of_anisotropic2d(Arguments a) {
    return anisotropic2d_source(a.index("nx"), a.index("ny"), a.real("epsilon"));
}

RowSource rows_of_jump_diffusion3d(Arguments a) {
    return jump_diffusion3d_source(a.index("nx"), a.index("ny"), a.index("nz"), jumps(a));
}

RowSource rows_of_elasticity3d(Arguments a) {
    return elasticity3d_source(a.index("nx"), a.index("ny"), a.index("nz"), material(a));
}

RowSource rows_of_graph_laplacian(Arguments a) {
    return graph_laplacian_source(a.index("n"), laplacian(a));
}

RowSource rows_of_random_spd(Arguments a) {
    return random_spd_source(a.index("n"), dominance(a));
}

RowSource rows_of_random_csr(Arguments a) {
    return random_csr_source(a.index("n_rows"), a.index("n_cols"), a.real("density"), a.seed("seed"));
}

RowSource rows_of_power_law_rows(Arguments a) {
    return power_law_source(a.index("n_rows"), a.index("n_cols"), power_law(a));
}

constexpr auto spd = ProblemKind::spd;
constexpr auto general = ProblemKind::general;
constexpr auto size = ParameterKind::size;
constexpr auto whole = ParameterKind::whole;
constexpr auto real = ParameterKind::real;
constexpr auto as_before = std::nullopt;
constexpr ProblemParameter random_seed{"seed", whole, 1, "of the random numbers, 0 to 2^53"};

// clang-format off
const std::vector<Problem>& problem_table() {
    static const std::vector<Problem> table{
        {"poisson1d", "Poisson's equation on an interval, 3-point differences", spd,
         {{"nx", size, 1000, "points, at least 1"}},
         make_poisson1d<float>, make_poisson1d<double>, rows_of_poisson1d},

        {"poisson2d", "Poisson's equation on a rectangle, 5-point differences", spd,
         {{"nx", size, 100, "points along x, at least 1"},
          {"ny", size, as_before, "points along y (as nx)"}},
         make_poisson2d<float>, make_poisson2d<double>, rows_of_poisson2d},

        {"poisson3d", "Poisson's equation on a box, 7-point differences", spd,
         {{"nx", size, 30, "points along x, at least 1"},
          {"ny", size, as_before, "points along y (as nx)"},
          {"nz", size, as_before, "points along z (as ny)"}},
         make_poisson3d<float>, make_poisson3d<double>, rows_of_poisson3d},

        {"stencil27", "27-point stencil on a box, the matrix of HPCG", spd,
         {{"nx", size, 30, "points along x, at least 1"},
          {"ny", size, as_before, "points along y (as nx)"},
          {"nz", size, as_before, "points along z (as ny)"}},
         make_stencil27<float>, make_stencil27<double>, rows_of_stencil27},

        {"anisotropic2d", "-u_xx - epsilon u_yy on a rectangle, 5-point differences", spd,
         {{"nx", size, 100, "points along x, at least 1"},
          {"ny", size, as_before, "points along y (as nx)"},
          {"epsilon", real, 0.01, "coupling along y, above 0; along x it is 1"}},
         make_anisotropic2d<float>, make_anisotropic2d<double>, rows_of_anisotropic2d},

        {"jump_diffusion3d", "diffusion through bricks of two materials, 7-point finite volumes", spd,
         {{"nx", size, 30, "cells along x, at least 1"},
          {"ny", size, as_before, "cells along y (as nx)"},
          {"nz", size, as_before, "cells along z (as ny)"},
          {"contrast", real, 1e4, "permeability of the second material, above 0; of the first it is 1"},
          {"brick", whole, 4, "edge of a brick in cells, at least 1"},
          random_seed},
         make_jump_diffusion3d<float>, make_jump_diffusion3d<double>, rows_of_jump_diffusion3d},

        {"elasticity3d", "linear elasticity of a beam clamped at x = 0, Q1 bricks", spd,
         {{"nx", size, 16, "bricks along x, at least 1"},
          {"ny", size, as_before, "bricks along y (as nx)"},
          {"nz", size, as_before, "bricks along z (as ny)"},
          {"young", real, 1, "Young's modulus, above 0"},
          {"poisson", real, 0.3, "Poisson's ratio, between -1 and 1/2"}},
         make_elasticity3d<float>, make_elasticity3d<double>, rows_of_elasticity3d, make_elasticity3d_nodes},

        {"graph_laplacian", "Laplacian of a random graph, shifted", spd,
         {{"n", size, 1000, "vertices, at least 1"},
          {"degree", real, 8, "mean number of neighbours, at least 0"},
          {"shift", real, 0.01, "smallest eigenvalue, above 0"},
          random_seed},
         make_graph_laplacian<float>, make_graph_laplacian<double>, rows_of_graph_laplacian},

        {"random_spd", "random symmetric entries under a dominant diagonal", spd,
         {{"n", size, 1000, "rows, at least 1"},
          {"degree", real, 8, "mean off-diagonal entries of a row, at least 0"},
          {"shift", real, 0.01, "excess of the diagonal over the absolutes beside it, above 0"},
          random_seed},
         make_random_spd<float>, make_random_spd<double>, rows_of_random_spd},

        {"random_csr", "entries placed at random", general,
         {{"n_rows", size, 1000, "rows, at least 0"},
          {"n_cols", size, as_before, "columns (as n_rows)"},
          {"density", real, 0.01, "probability of each entry, 0 to 1"},
          random_seed},
         make_random_csr<float>, make_random_csr<double>, rows_of_random_csr},

        {"power_law_rows", "row lengths by a power law, columns crowded at the left", general,
         {{"n_rows", size, 1000, "rows, at least 0"},
          {"n_cols", size, as_before, "columns (as n_rows)"},
          {"mean", real, 10.5, "mean entries of a row, at least 0"},
          {"exponent", real, 0.62, "row lengths are as u^-exponent, u uniform in (0, 1); 0 to below 1"},
          {"skew", real, 2, "columns are as w^skew, w uniform in (0, 1); at least 1"},
          random_seed},
         make_power_law_rows<float>, make_power_law_rows<double>, rows_of_power_law_rows},
    };
    return table;
}
// clang-format on

}  // namespace

std::string_view describe(ProblemKind kind) {
    switch (kind) {
        case ProblemKind::spd:
            return "symmetric positive definite";
        case ProblemKind::symmetric:
            return "symmetric";
        case ProblemKind::general:
            return "general";
    }
    return "";
}

std::span<const Problem> problems() {
    return problem_table();
}

const Problem& find_problem(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Problem& problem : problems()) {
        if (problem.name == name) return problem;
        names.push_back(problem.name);
    }
    throw InvalidArgument(fmt::format("there is no problem '{}', expected one of {}", name, fmt::join(names, ", ")));
}

}  // namespace stiefel
