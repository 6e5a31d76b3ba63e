#include "stiefel/problems/poisson.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/stencil.hpp"

namespace stiefel {

namespace {

GridStencil three_points(Index nx) {
    return {{.nx = nx}, {{.dx = -1, .value = -1}, {.value = 2}, {.dx = 1, .value = -1}}};
}

GridStencil five_points(Index nx, Index ny) {
    return {{.nx = nx, .ny = ny},
            {{.dy = -1, .value = -1},
             {.dx = -1, .value = -1},
             {.value = 4},
             {.dx = 1, .value = -1},
             {.dy = 1, .value = -1}}};
}

GridStencil seven_points(Index nx, Index ny, Index nz) {
    return {{.nx = nx, .ny = ny, .nz = nz},
            {{.dz = -1, .value = -1},
             {.dy = -1, .value = -1},
             {.dx = -1, .value = -1},
             {.value = 6},
             {.dx = 1, .value = -1},
             {.dy = 1, .value = -1},
             {.dz = 1, .value = -1}}};
}

}  // namespace

template <class T>
HostCsr<T> poisson1d(OpenMP& backend, Index nx) {
    const Size n = checked_grid_points("poisson1d", {{"nx", nx}});
    return build_square_csr<T>(backend, n, three_points(nx));
}

template <class T>
HostCsr<T> poisson2d(OpenMP& backend, Index nx, Index ny) {
    const Size n = checked_grid_points("poisson2d", {{"nx", nx}, {"ny", ny}});
    return build_square_csr<T>(backend, n, five_points(nx, ny));
}

template <class T>
HostCsr<T> poisson3d(OpenMP& backend, Index nx, Index ny, Index nz) {
    const Size n = checked_grid_points("poisson3d", {{"nx", nx}, {"ny", ny}, {"nz", nz}});
    return build_square_csr<T>(backend, n, seven_points(nx, ny, nz));
}

RowSource poisson1d_source(Index nx) {
    const Size n = checked_grid_points("poisson1d", {{"nx", nx}}, most_rows_of_all);
    return row_source(n, n, three_points(nx));
}

RowSource poisson2d_source(Index nx, Index ny) {
    const Size n = checked_grid_points("poisson2d", {{"nx", nx}, {"ny", ny}}, most_rows_of_all);
    return row_source(n, n, five_points(nx, ny));
}

RowSource poisson3d_source(Index nx, Index ny, Index nz) {
    const Size n = checked_grid_points("poisson3d", {{"nx", nx}, {"ny", ny}, {"nz", nz}}, most_rows_of_all);
    return row_source(n, n, seven_points(nx, ny, nz));
}

template HostCsr<float> poisson1d(OpenMP&, Index);
template HostCsr<double> poisson1d(OpenMP&, Index);
template HostCsr<float> poisson2d(OpenMP&, Index, Index);
template HostCsr<double> poisson2d(OpenMP&, Index, Index);
template HostCsr<float> poisson3d(OpenMP&, Index, Index, Index);
template HostCsr<double> poisson3d(OpenMP&, Index, Index, Index);

}  // namespace stiefel
