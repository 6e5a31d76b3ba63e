#include "stiefel/problems/stencil27.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/stencil.hpp"

namespace stiefel {

template <class T>
HostCsr<T> stencil27(OpenMP& backend, Index nx, Index ny, Index nz) {
    checked_grid_points("stencil27", {{"nx", nx}, {"ny", ny}, {"nz", nz}});
    std::vector<StencilEntry> stencil;
    for (Index dz : {-1, 0, 1}) {
        for (Index dy : {-1, 0, 1}) {
            for (Index dx : {-1, 0, 1}) stencil.push_back({dx, dy, dz, -1});
        }
    }
    stencil[13].value = 26;  // the centre
    return csr_from_stencil<T>(backend, {nx, ny, nz}, stencil);
}

template HostCsr<float> stencil27(OpenMP&, Index, Index, Index);
template HostCsr<double> stencil27(OpenMP&, Index, Index, Index);

}  // namespace stiefel
