#include "stiefel/problems/poisson.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/stencil.hpp"

namespace stiefel {

template <class T>
HostCsr<T> poisson1d(OpenMP& backend, Index nx) {
    checked_grid_points("poisson1d", {{"nx", nx}});
    return csr_from_stencil<T>(backend, {.nx = nx}, {{.dx = -1, .value = -1}, {.value = 2}, {.dx = 1, .value = -1}});
}

template <class T>
HostCsr<T> poisson2d(OpenMP& backend, Index nx, Index ny) {
    checked_grid_points("poisson2d", {{"nx", nx}, {"ny", ny}});
    return csr_from_stencil<T>(backend, {.nx = nx, .ny = ny},
                               {{.dy = -1, .value = -1},
                                {.dx = -1, .value = -1},
                                {.value = 4},
                                {.dx = 1, .value = -1},
                                {.dy = 1, .value = -1}});
}

template <class T>
HostCsr<T> poisson3d(OpenMP& backend, Index nx, Index ny, Index nz) {
    checked_grid_points("poisson3d", {{"nx", nx}, {"ny", ny}, {"nz", nz}});
    return csr_from_stencil<T>(backend, {.nx = nx, .ny = ny, .nz = nz},
                               {{.dz = -1, .value = -1},
                                {.dy = -1, .value = -1},
                                {.dx = -1, .value = -1},
                                {.value = 6},
                                {.dx = 1, .value = -1},
                                {.dy = 1, .value = -1},
                                {.dz = 1, .value = -1}});
}

template HostCsr<float> poisson1d(OpenMP&, Index);
template HostCsr<double> poisson1d(OpenMP&, Index);
template HostCsr<float> poisson2d(OpenMP&, Index, Index);
template HostCsr<double> poisson2d(OpenMP&, Index, Index);
template HostCsr<float> poisson3d(OpenMP&, Index, Index, Index);
template HostCsr<double> poisson3d(OpenMP&, Index, Index, Index);

}  // namespace stiefel
