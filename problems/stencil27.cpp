#include "stiefel/problems/stencil27.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/stencil.hpp"

namespace stiefel {

namespace {

GridStencil cube(Index nx, Index ny, Index nz) {
    GridStencil stencil{{nx, ny, nz}, {}};
    for (Index dz : {-1, 0, 1}) {
        for (Index dy : {-1, 0, 1}) {
            for (Index dx : {-1, 0, 1}) stencil.entries.push_back({dx, dy, dz, -1});
        }
    }
    stencil.entries[13].value = 26;  // the centre
    return stencil;
}

}  // namespace

template <class T>
HostCsr<T> stencil27(OpenMP& backend, Index nx, Index ny, Index nz) {
    const Size n = checked_grid_points("stencil27", {{"nx", nx}, {"ny", ny}, {"nz", nz}});
    return build_square_csr<T>(backend, n, cube(nx, ny, nz));
}

RowSource stencil27_source(Index nx, Index ny, Index nz) {
    const Size n = checked_grid_points("stencil27", {{"nx", nx}, {"ny", ny}, {"nz", nz}}, most_rows_of_all);
    return row_source(n, n, cube(nx, ny, nz));
}

template HostCsr<float> stencil27(OpenMP&, Index, Index, Index);
template HostCsr<double> stencil27(OpenMP&, Index, Index, Index);

}  // namespace stiefel
