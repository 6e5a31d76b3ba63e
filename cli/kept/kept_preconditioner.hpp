#pragma once

#include "stiefel/cli/kept/kept_matrix.hpp"
#include "stiefel/preconditioner/list.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <variant>

namespace stiefel::cli {

/// z = M r by someone else's function: a preconditioner of the host's memory.
template <class T>
class FunctionPreconditioner {
public:
    explicit FunctionPreconditioner(HostFunction function) : function_(std::move(function)) {}

    template <HostBackend B>
    friend void precondition(B&, const FunctionPreconditioner& m, const HostVector<T>& r, HostVector<T>& z) {
        m.function_(r.data(), z.data());
    }
    /// Column after column.
    template <HostBackend B>
    friend void precondition(B&, const FunctionPreconditioner& m, HostMatrix<const T> r, HostMatrix<T> z) {
        HostVector<T> from(r.n_rows), to(r.n_rows);
        for (Index j = 0; j < r.n_cols; ++j) {
            for (Index i = 0; i < r.n_rows; ++i) from[i] = r.data[i * r.ld + j];
            m.function_(from.data(), to.data());
            for (Index i = 0; i < r.n_rows; ++i) z.data[i * z.ld + j] = to[i];
        }
    }

private:
    HostFunction function_;
};

template <class T, class B>
using ChosenShared = std::shared_ptr<ChosenPreconditioner<B, T>>;

/// One that was made for vectors, on panels: column after column.
template <class T, class B>
class ByColumns {
public:
    explicit ByColumns(ChosenShared<T, B> made) : made_(std::move(made)) {}

    bool works_on_host() const { return one().works_on_host(); }

    friend void precondition(B& backend, const ByColumns& m, MatrixOf<B, const T> r, MatrixOf<B, T> z) {
        const auto& one = m.one();
        for (Index j = 0; j < r.n_cols; ++j) {
            precondition(backend, one, MatrixOf<B, const T>{r.data + j, r.n_rows, 1, r.ld},
                         MatrixOf<B, T>{z.data + j, z.n_rows, 1, z.ld});
        }
    }

private:
    const AnyPreconditioner<B, T>& one() const { return std::get<AnyPreconditioner<B, T>>(*made_); }

    ChosenShared<T, B> made_;
};

/// For panels of so many columns: with room for them on a host. On a device the room that it has may stand in graphs
/// that were recorded before.
template <class T, class B>
ChosenShared<T, B> for_columns(B& backend, ChosenShared<T, B> made, Index columns) {
    auto* const any = made ? std::get_if<AnyPreconditioner<B, T>>(made.get()) : nullptr;
    if (columns == 1 || any == nullptr) return made;
    if constexpr (HostBackend<B>) {
        any->reserve(backend, columns);
        return made;
    } else {
        return std::make_shared<ChosenPreconditioner<B, T>>(AnyPreconditioner<B, T>(ByColumns<T, B>(std::move(made))));
    }
}

template <class T, class B>
ChosenShared<T, B> from_function(const HostFunction& function) {
    if constexpr (HostBackend<B>) {
        return std::make_shared<ChosenPreconditioner<B, T>>(
            AnyPreconditioner<B, T>(FunctionPreconditioner<T>(function)));
    } else {
        throw InvalidArgument(
            "M: on a device a function cannot precondition, as the loop runs there by itself; take one that "
            "stiefel.preconditioner makes from an operator on the same device, or None");
    }
}

}  // namespace stiefel::cli
