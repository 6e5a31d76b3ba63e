#pragma once

#include "stiefel/problems/anisotropic.hpp"
#include "stiefel/problems/graph_laplacian.hpp"
#include "stiefel/problems/jump_diffusion.hpp"
#include "stiefel/problems/poisson.hpp"
#include "stiefel/problems/stencil27.hpp"

#include "support/laplacians.hpp"
#include "support/matrices.hpp"

#include <vector>

namespace stiefel::test {

/// Small matrices of all kinds: stencils, jumps, a singular one, rows of very different lengths, no couplings.
inline std::vector<HostCsr<double>> coupled_matrices(OpenMP& host) {
    std::vector<HostCsr<double>> all;
    all.push_back(poisson3d<double>(host, 9, 11, 13));
    all.push_back(anisotropic2d<double>(host, 40, 30, 1e-3));
    all.push_back(stencil27<double>(host, 9, 9, 9));
    all.push_back(jump_diffusion3d<double>(host, 12, 12, 12, {.contrast = 1e4}));
    all.push_back(path_laplacian(500));
    all.push_back(graph_laplacian<double>(host, 3000));
    all.push_back(csr_from_rows<double>(3, {{{0, 1.0}}, {{1, 2.0}}, {{2, 3.0}}}));
    return all;
}

}  // namespace stiefel::test
