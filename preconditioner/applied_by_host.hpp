#pragma once

#include "stiefel/core/cuda.hpp"
#include "stiefel/core/openmp.hpp"
#include "stiefel/dense/panel_elements.hpp"
#include "stiefel/preconditioner/concept.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace stiefel {

/// A preconditioner of the host's memory on a device: R comes to the host, and Z goes back, some 20 us for a small
/// system. For what is a sequence of short steps that wait for each other, which a device takes ten times as long for
/// as a core: solves with the factors of frames and shells.
template <class T, class M>
class AppliedByHost {
public:
    /// m: of OpenMP with so many threads; 0: of OpenMP().
    explicit AppliedByHost(M m, int threads = 0) : host_(threads), m_(std::move(m)) {}

    static constexpr bool works_on_host() { return true; }

    /// To be called before it is applied to panels of more columns.
    void reserve(Cuda&, Index columns) {
        if constexpr (requires { m_.reserve(host_, columns); }) m_.reserve(host_, columns);
    }

    Work work(Index columns) const { return preconditioner_work(m_, columns); }
    Size bytes() const { return preconditioner_bytes(m_); }
    double epsilon() const { return preconditioner_epsilon<T>(m_); }
    PreconditionerDetails details() const { return preconditioner_details(m_); }

    /// Z = M R; waits for R.
    friend void precondition(Cuda& backend, const AppliedByHost& m, MatrixOf<Cuda, const T> r, MatrixOf<Cuda, T> z) {
        const Size elements = Size{r.n_rows} * r.n_cols;
        if (m.r_.size() != elements) {
            m.r_ = HostVector<T>(elements);
            m.z_ = HostVector<T>(elements);
        }
        const Size bytes = m.r_.bytes();
        if (r.ld == r.n_cols) {
            backend.download_bytes(m.r_.data(), r.data, bytes);
        } else {
            const auto packed = m.packed(backend, elements, r.n_rows, r.n_cols);
            assign_panel<Cuda, T>(backend, T{1}, r, packed);
            backend.download_bytes(m.r_.data(), packed.data, bytes);
        }
        precondition(m.host_, m.m_, as_matrix(std::as_const(m.r_), r.n_rows, r.n_cols),
                     as_matrix(m.z_, r.n_rows, r.n_cols));
        if (z.ld == z.n_cols) {
            backend.upload_bytes(z.data, m.z_.data(), bytes);
        } else {
            const auto packed = m.packed(backend, elements, z.n_rows, z.n_cols);
            backend.upload_bytes(packed.data, m.z_.data(), bytes);
            assign_panel<Cuda, T>(backend, T{1}, packed, z);
        }
    }

private:
    /// Room on the device for a panel without gaps.
    MatrixOf<Cuda, T> packed(Cuda& backend, Size elements, Index n, Index columns) const {
        if (packed_.size() < elements) packed_ = DeviceVector<T>(backend, elements);
        return {packed_.data(), n, columns, columns};
    }

    mutable OpenMP host_;
    M m_;
    mutable HostVector<T> r_ = {}, z_ = {};  // the last panel, and what became of it
    mutable DeviceVector<T> packed_ = {};
};

}  // namespace stiefel
