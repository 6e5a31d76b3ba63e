#pragma once

#include "stiefel/core/backend.hpp"
#include "stiefel/dense/gemm.hpp"
#include "stiefel/dense/panel.hpp"

#include <array>

namespace stiefel::bench {

/// What block methods do with panels of n rows and k columns.
enum class PanelOperation { gram_of_two, gram_of_one, update, product };

inline constexpr std::array panel_operations{PanelOperation::gram_of_two, PanelOperation::gram_of_one,
                                             PanelOperation::update, PanelOperation::product};

constexpr const char* to_string(PanelOperation operation) {
    switch (operation) {
        case PanelOperation::gram_of_two:
            return "P'Q";
        case PanelOperation::gram_of_one:
            return "P'P";
        case PanelOperation::update:
            return "Y += X B";
        case PanelOperation::product:
            return "Y = X B";
    }
    return "";
}

constexpr bool is_gram(PanelOperation operation) {
    return operation == PanelOperation::gram_of_two || operation == PanelOperation::gram_of_one;
}

/// X is scaled by it, so that Y stays small however often it is updated.
inline constexpr double panel_alpha = 1e-3;

/// X is P, Y is Q; `small`, k x k, is the result of a Gram matrix and B of the others.
template <class B, class T>
struct PanelOperands {
    MatrixOf<B, const T> x;
    MatrixOf<B, T> y;
    MatrixOf<B, double> small;

    MatrixOf<B, const T> q() const { return y; }
    MatrixOf<B, const double> b() const { return small; }
};

/// By the kernels of panels.
template <class B, class T>
void run_panel(B& backend, PanelOperation operation, const PanelOperands<B, T>& p) {
    switch (operation) {
        case PanelOperation::gram_of_two:
            return gram<T>(backend, p.x, p.q(), p.small);
        case PanelOperation::gram_of_one:
            return gram<T>(backend, p.x, p.x, p.small);
        case PanelOperation::update:
            return panel_update<T>(backend, panel_alpha, p.x, p.b(), 1, p.y);
        case PanelOperation::product:
            return panel_update<T>(backend, panel_alpha, p.x, p.b(), 0, p.y);
    }
}

/// The same by the product of any matrices.
template <class B>
void run_panel_by_gemm(B& backend, PanelOperation operation, const PanelOperands<B, double>& p) {
    switch (operation) {
        case PanelOperation::gram_of_two:
            return gemm<double>(backend, Op::transpose, Op::none, 1, p.x, p.q(), 0, p.small);
        case PanelOperation::gram_of_one:
            return gemm<double>(backend, Op::transpose, Op::none, 1, p.x, p.x, 0, p.small);
        case PanelOperation::update:
            return gemm<double>(backend, Op::none, Op::none, panel_alpha, p.x, p.b(), 1, p.y);
        case PanelOperation::product:
            return gemm<double>(backend, Op::none, Op::none, panel_alpha, p.x, p.b(), 0, p.y);
    }
}

template <class T>
Work panel_work(PanelOperation operation, Size n, Size k) {
    return is_gram(operation) ? gram_work<T>(n, k, k, operation == PanelOperation::gram_of_one)
                              : panel_update_work<T>(n, k, k, operation == PanelOperation::update);
}

}  // namespace stiefel::bench
