#include "stiefel/problems/jump_diffusion.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/random.hpp"
#include "stiefel/problems/stencil.hpp"

#include <array>

namespace stiefel {

namespace {

constexpr const char* jump_name = "jump_diffusion3d";

double permeability(const Grid& grid, const GridPoint& cell, const JumpDiffusionOptions& options) {
    const Size bricks_x = (Size{grid.nx} - 1) / options.brick + 1;
    const Size bricks_y = (Size{grid.ny} - 1) / options.brick + 1;
    const Size brick = (cell.z / options.brick * bricks_y + cell.y / options.brick) * bricks_x + cell.x / options.brick;
    return RandomRow(options.seed, brick).below(0, 2) == 0 ? 1.0 : options.contrast;
}

double harmonic_mean(double a, double b) {
    return 2 * (a * b) / (a + b);
}

/// The rows, for build_csr.
struct Diffusion {
    Grid grid;
    JumpDiffusionOptions options;

    template <class Number, class Emit>
    void operator()(Number i, const Emit& emit) const {
        // In ascending order of the neighbour's row: three before the diagonal, three after.
        constexpr std::array<GridPoint, 6> faces{{{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        const GridPoint cell = point_of_row(grid, i);
        const double own = permeability(grid, cell, options);
        std::array<double, 6> flux;
        std::array<bool, 6> inside;
        double diagonal = 0;
        for (std::size_t f = 0; f < faces.size(); ++f) {
            const GridPoint other{cell.x + faces[f].x, cell.y + faces[f].y, cell.z + faces[f].z};
            inside[f] = grid.contains(other.x, other.y, other.z);
            flux[f] = inside[f] ? harmonic_mean(own, permeability(grid, other, options)) : 2 * own;
            diagonal += flux[f];
        }
        const auto emit_neighbour = [&](std::size_t f) {
            if (inside[f]) emit(i + (Size{faces[f].z} * grid.ny + faces[f].y) * grid.nx + faces[f].x, -flux[f]);
        };
        for (std::size_t f = 0; f < 3; ++f) emit_neighbour(f);
        emit(i, diagonal);
        for (std::size_t f = 3; f < 6; ++f) emit_neighbour(f);
    }
};

Diffusion checked(const Grid& grid, const JumpDiffusionOptions& options) {
    check_above(jump_name, "contrast", options.contrast, 0);
    check_at_least(jump_name, "brick", options.brick, 1);
    return {grid, options};
}

}  // namespace

template <class T>
HostCsr<T> jump_diffusion3d(OpenMP& backend, Index nx, Index ny, Index nz, const JumpDiffusionOptions& options) {
    const Size n = checked_grid_points(jump_name, {{"nx", nx}, {"ny", ny}, {"nz", nz}});
    return build_square_csr<T>(backend, n, checked({nx, ny, nz}, options));
}

RowSource jump_diffusion3d_source(Index nx, Index ny, Index nz, const JumpDiffusionOptions& options) {
    const Size n = checked_grid_points(jump_name, {{"nx", nx}, {"ny", ny}, {"nz", nz}}, most_rows_of_all);
    return row_source(n, n, checked({nx, ny, nz}, options));
}

template HostCsr<float> jump_diffusion3d(OpenMP&, Index, Index, Index, const JumpDiffusionOptions&);
template HostCsr<double> jump_diffusion3d(OpenMP&, Index, Index, Index, const JumpDiffusionOptions&);

}  // namespace stiefel
