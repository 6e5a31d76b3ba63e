#pragma once

#include "stiefel/preconditioner/concept.hpp"
#include "stiefel/preconditioner/sparse_factors.hpp"

#include <memory>
#include <utility>

namespace stiefel {

/// Any preconditioner that is not pointwise, as one type: what is written for preconditioners in general is compiled
/// once for all of them. Owns it. An application costs one indirect call more.
template <class B, class T>
class AnyPreconditioner {
public:
    using V = VectorOf<B, T>;
    using Panel = MatrixOf<B, T>;
    using ConstPanel = MatrixOf<B, const T>;

    template <Preconditioner<B, T> M>
    explicit AnyPreconditioner(M m) : held_(std::make_unique<Held<M>>(std::move(m))) {}

    /// To be called before it is applied to panels of more columns. What a device's graph has recorded of it before
    /// must not be run again.
    void reserve(B& backend, Index columns) { held_->reserve(backend, columns); }

    Work work(Index columns) const { return held_->work(columns); }
    Size bytes() const { return held_->bytes(); }
    double epsilon() const { return held_->epsilon(); }
    PreconditionerDetails details() const { return held_->details(); }
    SparseFactors<B, T> sparse_factors() const { return held_->factors(); }
    bool gives_dot() const { return held_->gives_dot(); }
    bool works_on_host() const { return held_->works_on_host(); }

    friend void precondition(B& backend, const AnyPreconditioner& m, const V& r, V& z) {
        m.held_->apply(backend, r, z);
    }
    friend void precondition(B& backend, const AnyPreconditioner& m, ConstPanel r, Panel z) {
        m.held_->apply(backend, r, z);
    }
    friend void precondition_dot(B& backend, const AnyPreconditioner& m, const V& r, V& z, double* dot) {
        m.held_->apply(backend, r, z, dot);
    }

private:
    struct Base {
        virtual ~Base() = default;
        virtual void apply(B& backend, const V& r, V& z) const = 0;
        virtual void apply(B& backend, ConstPanel r, Panel z) const = 0;
        virtual void apply(B& backend, const V& r, V& z, double* dot) const = 0;
        virtual bool gives_dot() const = 0;
        virtual bool works_on_host() const = 0;
        virtual void reserve(B& backend, Index columns) = 0;
        virtual Work work(Index columns) const = 0;
        virtual Size bytes() const = 0;
        virtual double epsilon() const = 0;
        virtual PreconditionerDetails details() const = 0;
        virtual SparseFactors<B, T> factors() const = 0;
    };

    template <class M>
    struct Held final : Base {
        explicit Held(M own) : m(std::move(own)) {}
        void apply(B& backend, const V& r, V& z) const override { precondition_vector(backend, m, r, z); }
        void apply(B& backend, ConstPanel r, Panel z) const override { precondition(backend, m, r, z); }
        void apply(B& backend, const V& r, V& z, double* dot) const override {
            if constexpr (requires { precondition_dot(backend, m, r, z, dot); }) {
                precondition_dot(backend, m, r, z, dot);
            }
        }
        bool gives_dot() const override { return stiefel::gives_dot(m); }
        bool works_on_host() const override { return stiefel::works_on_host(m); }
        void reserve(B& backend, Index columns) override {
            if constexpr (requires { m.reserve(backend, columns); }) m.reserve(backend, columns);
        }
        Work work(Index columns) const override { return preconditioner_work(m, columns); }
        Size bytes() const override { return preconditioner_bytes(m); }
        double epsilon() const override { return preconditioner_epsilon<T>(m); }
        PreconditionerDetails details() const override { return preconditioner_details(m); }
        SparseFactors<B, T> factors() const override { return sparse_factors_of<B, T>(m); }

        M m;
    };

    std::unique_ptr<Base> held_;
};

}  // namespace stiefel
