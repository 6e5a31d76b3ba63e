#include "bench/products.hpp"

#include "bench/operands.hpp"

#include "stiefel/preconditioner/amg/aggregates.hpp"
#include "stiefel/preconditioner/amg/prolongation.hpp"
#include "stiefel/spmv/products/spgemm.hpp"

#include <algorithm>
#include <limits>

namespace stiefel::bench {

namespace {

using Csr = HostCsr<double>;

Size row_begin(const Csr& a, Size i) {
    return a.row_ptr.visit([&](const auto* row_ptr) { return static_cast<Size>(row_ptr[i]); });
}

Size longest_row(const Csr& a) {
    Size longest = 0;
    for (Index i = 0; i < a.n_rows; ++i) longest = std::max(longest, row_begin(a, Size{i} + 1) - row_begin(a, i));
    return longest;
}

/// f(column, term) for the terms of row i of A B.
template <class F>
void for_terms(const Csr& a, const Csr& b, Index i, F&& f) {
    for (Size k = row_begin(a, i); k < row_begin(a, Size{i} + 1); ++k) {
        const Index row = a.col_idx[k];
        for (Size l = row_begin(b, row); l < row_begin(b, Size{row} + 1); ++l) {
            f(b.col_idx[l], static_cast<long double>(a.values[k]) * b.values[l]);
        }
    }
}

/// A B by definition, or |A| |B|: entries that come out as zero are kept, columns ascend.
Csr product_by_rows(const Csr& a, const Csr& b, bool of_absolutes) {
    std::vector<long double> sums(static_cast<std::size_t>(b.n_cols));
    std::vector<Index> seen_in(sums.size(), -1), columns;
    std::vector<Size> offsets{0};
    std::vector<Index> col_idx;
    std::vector<double> values;
    for (Index i = 0; i < a.n_rows; ++i) {
        columns.clear();
        for_terms(a, b, i, [&](Index column, long double term) {
            const auto j = static_cast<std::size_t>(column);
            if (seen_in[j] != i) {
                seen_in[j] = i;
                sums[j] = 0;
                columns.push_back(column);
            }
            sums[j] += of_absolutes ? std::abs(term) : term;
        });
        std::ranges::sort(columns);
        for (const Index column : columns) {
            col_idx.push_back(column);
            values.push_back(static_cast<double>(sums[static_cast<std::size_t>(column)]));
        }
        offsets.push_back(static_cast<Size>(col_idx.size()));
    }
    Csr c{.n_rows = a.n_rows, .n_cols = b.n_cols};
    const auto vector_of = []<class T>(const std::vector<T>& from) {
        HostVector<T> to(static_cast<Size>(from.size()));
        std::ranges::copy(from, to.begin());
        return to;
    };
    c.row_ptr = RowOffsets<HostMemory>(vector_of(offsets));
    c.col_idx = vector_of(col_idx);
    c.values = vector_of(values);
    return c;
}

double bytes_of(const Csr& a) {
    return static_cast<double>(a.nnz()) * (sizeof(double) + sizeof(Index)) + 4.0 * a.n_rows;
}

}  // namespace

ProductOperands::ProductOperands(OpenMP& backend, HostCsr<double> matrix) : a(std::move(matrix)) {
    const amg::Strength is_strong(backend, a);
    p = amg::smoothed_prolongation(backend, a, is_strong, amg::greedy_aggregates(a, is_strong));
    r = transpose(backend, p);
}

template <class B>
HostCsr<double> Product::on_host(B& backend) const {
    return run([](const Csr& m) -> const Csr& { return m; },
               [&](const auto& x, const auto& y) { return spgemm(backend, x, y); });
}
template HostCsr<double> Product::on_host(OpenMP&) const;
template HostCsr<double> Product::on_host(Serial&) const;

std::vector<Product> products(const ProductOperands& operands) {
    return {{"A A", &operands.a, &operands.a}, {"P'(A P)", &operands.r, &operands.a, &operands.p}};
}

double terms_of_product(const HostCsr<double>& a, const HostCsr<double>& b) {
    double sum = 0;
    for (const Index j : a.col_idx.span()) sum += static_cast<double>(row_begin(b, Size{j} + 1) - row_begin(b, j));
    return sum;
}

ProductReference::ProductReference(const Product& product) {
    const auto itself = [](const Csr& m) -> const Csr& { return m; };
    exact_ = product.run(itself, [&](const Csr& a, const Csr& b) {
        work_.flops += 2 * terms_of_product(a, b);
        terms_of_an_entry_ += longest_row(a);
        return product_by_rows(a, b, false);
    });
    absolute_ = product.run(itself, [](const Csr& a, const Csr& b) { return product_by_rows(a, b, true); });
    // An entry whose terms are all zero has a result of zero, exactly.
    for (double& sum : absolute_.values) sum = std::max(sum, std::numeric_limits<double>::min());
    for (const Csr* operand : {product.left, product.middle, product.right}) {
        if (operand != nullptr) work_.bytes += bytes_of(*operand);
    }
    work_.bytes += bytes_of(exact_);
}

Deviation ProductReference::deviation(const HostCsr<double>& found) const {
    const auto same_offsets = [&] {
        for (Size i = 0; i <= exact_.n_rows; ++i) {
            if (row_begin(found, i) != row_begin(exact_, i)) return false;
        }
        return true;
    };
    const bool same_pattern = found.n_rows == exact_.n_rows && found.n_cols == exact_.n_cols &&
                              found.nnz() == exact_.nnz() && same_offsets() &&
                              std::ranges::equal(found.col_idx, exact_.col_idx);
    if (!same_pattern) return {.largest = std::numeric_limits<double>::infinity(), .accepted = false};
    return bench::deviation(found.values, exact_.values, absolute_.values, terms_of_an_entry_);
}

}  // namespace stiefel::bench
