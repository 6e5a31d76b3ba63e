#include "stiefel/dense/packed/gemm_packed.hpp"

#include <omp.h>

#include <algorithm>

namespace stiefel {

namespace {

Size n_panels(Size n, Size width) {
    return (n + width - 1) / width;
}

/// Buffers for packing that grow and stay: fresh pages would cost a product of 512 x 512 a tenth of its time.
template <class T>
T* packing_buffer(Size n) {
    thread_local HostVector<T> buffer;
    if (buffer.size() < n) {
        buffer = HostVector<T>();
        buffer = HostVector<T>(n);
    }
    return buffer.data();
}

/// One product: where the blocks and the packed copies lie.
template <class T>
class PackedGemm {
public:
    PackedGemm(const GemmArguments<T>& g, const MicroKernel<T>& kernel, int threads)
        : g_(g), kernel_(kernel), block_(gemm_blocking(kernel, g.m, g.n, g.k, threads)), threads_(threads) {
        const Size slice = block_.kc * block_.nc;
        a_elements_ = block_.kc * block_.mc;
        b_ = packing_buffer<T>(slice + threads * a_elements_);
        a_ = b_ + slice;
    }

    void multiply() {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
        for (Size j = 0; j < g_.n; j += block_.nc) {
            for (Size p = 0; p == 0 || p < g_.k; p += block_.kc) {
                pack_slice(p, j);
                multiply_slice(p, j);
            }
        }
    }

private:
    Size depth(Size p) const {
        return std::min(block_.kc, g_.k - p);
    }
    Size columns(Size j) const {
        return std::min(block_.nc, g_.n - j);
    }

    /// B's rows p.. and columns j.. into panels of nr columns; the threads share the panels.
    void pack_slice(Size p, Size j) {
        const Size panels = depth(p) > 0 ? n_panels(columns(j), kernel_.nr) : 0;  // k = 0: B may be null
#pragma omp for schedule(static)
        for (Size panel = 0; panel < panels; ++panel) {
            const Size first = j + panel * kernel_.nr;
            kernel_.pack_b(std::min<Size>(kernel_.nr, g_.n - first), depth(p), &g_.b(p, first), g_.b.col_stride,
                           g_.b.row_stride, b_ + panel * kernel_.nr * block_.kc);
        }
    }

    /// The slice's share of C, in blocks of mc rows that the threads share.
    void multiply_slice(Size p, Size j) {
        T* const a = a_ + omp_get_thread_num() * a_elements_;
        const Size blocks = n_panels(g_.m, block_.mc);
#pragma omp for schedule(dynamic)
        for (Size number = 0; number < blocks; ++number) {
            const Size i = number * block_.mc;
            const Size rows = std::min(block_.mc, g_.m - i);
            for (Size row = 0; depth(p) > 0 && row < rows; row += kernel_.mr) {
                kernel_.pack_a(std::min<Size>(kernel_.mr, rows - row), depth(p), &g_.a(i + row, p), g_.a.row_stride,
                               g_.a.col_stride, a + row * block_.kc);
            }
            multiply_block(i, rows, p, j, a);
        }
    }

    void multiply_block(Size i, Size rows, Size p, Size j, const T* a) const {
        for (Size col = 0; col < columns(j); col += kernel_.nr) {
            const T* const b = b_ + col * block_.kc;
            for (Size row = 0; row < rows; row += kernel_.mr)
                multiply_tile(i + row, j + col, p, a + row * block_.kc, b);
        }
    }

    /// The first slice along k applies beta, the others add to what it left.
    void multiply_tile(Size i, Size j, Size p, const T* a, const T* b) const {
        const T beta = p == 0 ? g_.beta : T{1};
        T* const c = g_.c + i * g_.ldc + j;
        const Size rows = std::min<Size>(kernel_.mr, g_.m - i);
        const Size cols = std::min<Size>(kernel_.nr, g_.n - j);
        if (rows == kernel_.mr && cols == kernel_.nr) {
            kernel_.multiply(depth(p), a, b, g_.alpha, beta, c, g_.ldc);
            return;
        }
        T edge[max_tile];
        kernel_.multiply(depth(p), a, b, g_.alpha, T{0}, edge, kernel_.nr);
        for (Size r = 0; r < rows; ++r) {
            for (Size q = 0; q < cols; ++q) {
                T& place = c[r * g_.ldc + q];
                place = beta == T{0} ? edge[r * kernel_.nr + q] : edge[r * kernel_.nr + q] + beta * place;
            }
        }
    }

    static constexpr Size max_tile = 512;  ///< elements of the largest micro-kernel's tile, 8 x 48, and some

    const GemmArguments<T>& g_;
    const MicroKernel<T>& kernel_;
    GemmBlocking block_;
    int threads_;
    Size a_elements_ = 0;
    T* a_ = nullptr;
    T* b_ = nullptr;
};

}  // namespace

template <class T>
void gemm_packed(const GemmArguments<T>& g, const MicroKernel<T>& kernel, int threads) {
    if (g.m > 0 && g.n > 0) PackedGemm<T>(g, kernel, threads).multiply();
}

template void gemm_packed(const GemmArguments<double>&, const MicroKernel<double>&, int);
template void gemm_packed(const GemmArguments<float>&, const MicroKernel<float>&, int);

}  // namespace stiefel
