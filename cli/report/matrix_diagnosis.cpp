#include "stiefel/cli/report/matrix_diagnosis.hpp"

#include <cmath>

namespace stiefel::cli {

namespace {

void scale(int exponent, MatrixInfo& info) {
    const auto scale_one = [exponent](double& value) { value = std::ldexp(value, exponent); };
    for (double* value : {&info.values.min_abs, &info.values.max_abs}) scale_one(*value);
    if (info.diagonal) {
        DiagonalInfo& diagonal = *info.diagonal;
        for (double* value :
             {&diagonal.min_abs, &diagonal.max_abs, &diagonal.spectrum_lower, &diagonal.spectrum_upper}) {
            scale_one(*value);
        }
    }
    if (!info.symmetry) return;
    for (auto* pair : {&info.symmetry->largest, &info.symmetry->first}) {
        if (*pair) scale_one((*pair)->value), scale_one((*pair)->mirrored);
    }
}

}  // namespace

template <class T>
std::shared_ptr<const MatrixDiagnosis> diagnosed(OpenMP& host, const HostCsr<T>& a, int exponent, bool is_symmetric) {
    MatrixDiagnosis diagnosis{.info = {.n_rows = a.n_rows,
                                       .n_cols = a.n_cols,
                                       .nnz = a.nnz(),
                                       .rows = row_statistics(host, a),
                                       .values = analyse_values(host, a),
                                       .band = analyse_band(host, a),
                                       .bytes = {},
                                       .symmetry = is_symmetric ? SymmetryInfo{} : check_symmetry(host, a),
                                       .diagonal = analyse_diagonal(host, a),
                                       .components = {}},
                              .pattern = pattern_raster(host, a)};
    diagnosis.info.components = analyse_components(host, a, diagnosis.info.symmetry->pattern_symmetric());
    diagnosis.row_lengths = row_length_histogram(a.row_ptr, diagnosis.info.rows);
    if (exponent != 0) scale(exponent, diagnosis.info);
    return std::make_shared<const MatrixDiagnosis>(std::move(diagnosis));
}

template std::shared_ptr<const MatrixDiagnosis> diagnosed(OpenMP&, const HostCsr<float>&, int, bool);
template std::shared_ptr<const MatrixDiagnosis> diagnosed(OpenMP&, const HostCsr<double>&, int, bool);

}  // namespace stiefel::cli
