#pragma once

#include "stiefel/core/matrix_view.hpp"
#include "stiefel/preconditioner/triangular/level_triangle.hpp"

#include <utility>

namespace stiefel::triangular {

/// Z = L^-T L^-1 R for panels, level by level (Anderson and Saad 1989), a level's rows on all threads where this pays,
/// else by one thread. A row is summed by one thread in the order of its entries, so bits do not depend on how many
/// there are.
template <class T>
class LevelSolve {
public:
    LevelSolve(LevelTriangles<T> triangles, int threads) : triangles_(std::move(triangles)), threads_(threads) {}

    Index n_rows() const { return triangles_.n_rows(); }
    Size nonzeros() const { return triangles_.nonzeros(); }
    Index n_levels() const { return triangles_.lower.level_sets; }
    Size bytes() const { return triangles_.bytes(); }

    void run(MatrixView<const T, HostMemory> r, MatrixView<T, HostMemory> z) const;

private:
    LevelTriangles<T> triangles_;
    int threads_;
};

}  // namespace stiefel::triangular
