#include "stiefel/problems/elasticity.hpp"

#include "stiefel/problems/arguments.hpp"
#include "stiefel/problems/stencil.hpp"

namespace stiefel {

namespace {

constexpr const char* elasticity_name = "elasticity3d";

int corner(int node, int axis) {
    return (node >> axis) & 1;
}

/// Integral over the unit cube of  d N_a / d x_i  *  d N_b / d x_j: a product of integrals along the axes, of the
/// linear functions 1 - t and t or of their slopes -1 and 1.
double gradient_product(int a, int i, int b, int j) {
    double product = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const int p = corner(a, axis);
        const int q = corner(b, axis);
        if (axis == i && axis == j) {
            product *= p == q ? 1.0 : -1.0;
        } else if (axis == i) {
            product *= p == 1 ? 0.5 : -0.5;
        } else if (axis == j) {
            product *= q == 1 ? 0.5 : -0.5;
        } else {
            product *= p == q ? 1.0 / 3.0 : 1.0 / 6.0;
        }
    }
    return product;
}

void check(const ElasticMaterial& material) {
    check_above(elasticity_name, "young", material.young, 0);
    check_above(elasticity_name, "poisson", material.poisson, -1);
    check_below(elasticity_name, "poisson", material.poisson, 0.5);
}

/// Couplings of a node with the node at an offset of -1, 0 or 1 along each axis: the sum over the elements that hold
/// both, three rows of three.
class NodeCoupling {
public:
    NodeCoupling(const Grid& elements, const ElasticMaterial& material)
        : elements_(elements), stiffness_(brick_stiffness(material)) {}

    /// Component `row` of the node against the three components of its neighbour. Both nodes of a pair see their
    /// elements in the same order, so the assembled matrix is exactly symmetric.
    std::array<double, 3> operator()(const GridPoint& node, const GridPoint& offset, int row) const {
        std::array<double, 3> sum{};
        for (Index oz = std::max(0, -offset.z); oz <= std::min(1, 1 - offset.z); ++oz) {
            for (Index oy = std::max(0, -offset.y); oy <= std::min(1, 1 - offset.y); ++oy) {
                for (Index ox = std::max(0, -offset.x); ox <= std::min(1, 1 - offset.x); ++ox) {
                    if (!elements_.contains(node.x - ox, node.y - oy, node.z - oz)) continue;
                    const Index own = 4 * oz + 2 * oy + ox;
                    const Index other = own + 4 * offset.z + 2 * offset.y + offset.x;
                    const auto& entries = stiffness_[static_cast<std::size_t>(3 * own + row)];
                    for (std::size_t c = 0; c < 3; ++c) sum[c] += entries[static_cast<std::size_t>(3 * other) + c];
                }
            }
        }
        return sum;
    }

private:
    Grid elements_;
    BrickStiffness stiffness_;
};

/// The rows, for build_csr.
struct Beam {
    NodeCoupling coupling;
    Grid free_nodes;

    template <class Number, class Emit>
    void operator()(Number i, const Emit& emit) const {
        const GridPoint free = point_of_row(free_nodes, i / 3);
        const GridPoint node{free.x + 1, free.y, free.z};
        for (Index dz : {-1, 0, 1}) {
            for (Index dy : {-1, 0, 1}) {
                for (Index dx : {-1, 0, 1}) {
                    if (!free_nodes.contains(free.x + dx, free.y + dy, free.z + dz)) continue;
                    const std::array<double, 3> entries = coupling(node, {dx, dy, dz}, static_cast<int>(i % 3));
                    const Size column = 3 * (i / 3 + (Size{dz} * free_nodes.ny + dy) * free_nodes.nx + dx);
                    for (std::size_t c = 0; c < 3; ++c) emit(column + static_cast<Size>(c), entries[c]);
                }
            }
        }
    }
};

void check_sizes(Index nx, Index ny, Index nz) {
    check_at_least(elasticity_name, "nx", nx, 1);
    check_at_least(elasticity_name, "ny", ny, 1);
    check_at_least(elasticity_name, "nz", nz, 1);
}

Size checked_rows(Index nx, Index ny, Index nz, const ElasticMaterial& material, Size most) {
    check_sizes(nx, ny, nz);
    check(material);
    return checked_product(elasticity_name, "3 * nx * (ny + 1) * (nz + 1)", {3, nx, Size{ny} + 1, Size{nz} + 1}, most);
}

Beam beam(Index nx, Index ny, Index nz, const ElasticMaterial& material) {
    return {NodeCoupling({nx, ny, nz}, material), {nx, ny + 1, nz + 1}};
}

}  // namespace

BrickStiffness brick_stiffness(const ElasticMaterial& material) {
    check(material);
    const double nu = material.poisson;
    const double lambda = material.young * nu / ((1 + nu) * (1 - 2 * nu));
    const double mu = material.young / (2 * (1 + nu));
    BrickStiffness k;
    for (int row = 0; row < 24; ++row) {
        for (int column = 0; column <= row; ++column) {
            const int a = row / 3, i = row % 3;
            const int b = column / 3, j = column % 3;
            double entry = lambda * gradient_product(a, i, b, j) + mu * gradient_product(a, j, b, i);
            if (i == j) {
                for (int axis = 0; axis < 3; ++axis) entry += mu * gradient_product(a, axis, b, axis);
            }
            k[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = entry;
            k[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)] = entry;
        }
    }
    return k;
}

template <class T>
HostCsr<T> elasticity3d(OpenMP& backend, Index nx, Index ny, Index nz, const ElasticMaterial& material) {
    const Size n = checked_rows(nx, ny, nz, material, most_rows);
    return build_square_csr<T>(backend, n, beam(nx, ny, nz, material));
}

RowSource elasticity3d_source(Index nx, Index ny, Index nz, const ElasticMaterial& material) {
    const Size n = checked_rows(nx, ny, nz, material, most_rows_of_all);
    return row_source(n, n, beam(nx, ny, nz, material));
}

HostVector<double> elasticity3d_nodes(Index nx, Index ny, Index nz) {
    check_sizes(nx, ny, nz);
    const Grid free_nodes{nx, ny + 1, nz + 1};
    const auto n = static_cast<Index>(
        checked_product(elasticity_name, "nx * (ny + 1) * (nz + 1)", {nx, Size{ny} + 1, Size{nz} + 1}));
    HostVector<double> nodes(3 * Size{n});
    for (Index node = 0; node < n; ++node) {
        const GridPoint point = point_of_row(free_nodes, node);
        nodes[node] = point.x + 1;
        nodes[Size{n} + node] = point.y;
        nodes[2 * Size{n} + node] = point.z;
    }
    return nodes;
}

template HostCsr<float> elasticity3d(OpenMP&, Index, Index, Index, const ElasticMaterial&);
template HostCsr<double> elasticity3d(OpenMP&, Index, Index, Index, const ElasticMaterial&);

}  // namespace stiefel
