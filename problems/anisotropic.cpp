#include "stiefel/problems/anisotropic.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/stencil.hpp"

namespace stiefel {

namespace {

GridStencil five_points(Index nx, Index ny, double epsilon) {
    check_above("anisotropic2d", "epsilon", epsilon, 0);
    return {{.nx = nx, .ny = ny},
            {{.dy = -1, .value = -epsilon},
             {.dx = -1, .value = -1},
             {.value = 2 + 2 * epsilon},
             {.dx = 1, .value = -1},
             {.dy = 1, .value = -epsilon}}};
}

}  // namespace

template <class T>
HostCsr<T> anisotropic2d(OpenMP& backend, Index nx, Index ny, double epsilon) {
    const Size n = checked_grid_points("anisotropic2d", {{"nx", nx}, {"ny", ny}});
    return build_square_csr<T>(backend, n, five_points(nx, ny, epsilon));
}

RowSource anisotropic2d_source(Index nx, Index ny, double epsilon) {
    const Size n = checked_grid_points("anisotropic2d", {{"nx", nx}, {"ny", ny}}, most_rows_of_all);
    return row_source(n, n, five_points(nx, ny, epsilon));
}

template HostCsr<float> anisotropic2d(OpenMP&, Index, Index, double);
template HostCsr<double> anisotropic2d(OpenMP&, Index, Index, double);

}  // namespace stiefel
