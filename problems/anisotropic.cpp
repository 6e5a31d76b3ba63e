#include "stiefel/problems/anisotropic.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/stencil.hpp"

namespace stiefel {

template <class T>
HostCsr<T> anisotropic2d(OpenMP& backend, Index nx, Index ny, double epsilon) {
    checked_grid_points("anisotropic2d", {{"nx", nx}, {"ny", ny}});
    check_above("anisotropic2d", "epsilon", epsilon, 0);
    return csr_from_stencil<T>(backend, {.nx = nx, .ny = ny},
                               {{.dy = -1, .value = -epsilon},
                                {.dx = -1, .value = -1},
                                {.value = 2 + 2 * epsilon},
                                {.dx = 1, .value = -1},
                                {.dy = 1, .value = -epsilon}});
}

template HostCsr<float> anisotropic2d(OpenMP&, Index, Index, double);
template HostCsr<double> anisotropic2d(OpenMP&, Index, Index, double);

}  // namespace stiefel
