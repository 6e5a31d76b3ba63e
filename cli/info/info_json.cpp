#include "stiefel/cli/info/info_report.hpp"
#include "stiefel/cli/report/ranks_parts.hpp"
#include "stiefel/cli/report/report_json_parts.hpp"
#include "stiefel/cli/version.hpp"

namespace stiefel::cli {

namespace {

// Rows and columns count from 1, as in the file.

Json tally_json(const RowTally& tally) {
    return {{"count", tally.count}, {"first", tally.count > 0 ? Json(Size{tally.first} + 1) : Json(nullptr)}};
}

Json pair_json(const std::optional<MirroredPair>& pair) {
    if (!pair) return nullptr;
    return {{"row", Size{pair->row} + 1},
            {"col", Size{pair->col} + 1},
            {"value", pair->value},
            {"mirrored", pair->mirrored},
            {"asymmetry", pair->asymmetry}};
}

Json symmetry_json(const SymmetryInfo& symmetry) {
    return {{"pattern", symmetry.pattern_symmetric()},
            {"values", symmetry.exactly_symmetric()},
            {"up_to_rounding", symmetry.symmetric_within_tolerance()},
            {"unmirrored", symmetry.unmirrored.count},
            {"first_difference", pair_json(symmetry.first)},
            {"largest_difference", pair_json(symmetry.largest)}};
}

Json components_json(const ComponentInfo& components) {
    return {{"number", components.number}, {"smallest", components.smallest}, {"largest", components.largest}};
}

Json diagonal_json(const DiagonalInfo& diagonal) {
    return {{"min_abs", diagonal.min_abs},
            {"max_abs", diagonal.max_abs},
            {"missing", tally_json(diagonal.missing)},
            {"zero", tally_json(diagonal.zero)},
            {"negative", tally_json(diagonal.negative)},
            {"not_strictly_dominant", tally_json(diagonal.not_strictly_dominant)},
            {"not_dominant", tally_json(diagonal.not_dominant)},
            {"spectrum", {diagonal.spectrum_lower, diagonal.spectrum_upper}}};
}

Json trial_json(const PreconditionerTrial& trial) {
    return {{"preconditioner", trial.name},
            {"taken", trial.taken},
            {"ended", trial.ended},
            {"why", trial.why},
            {"converged", trial.converged},
            {"setup_seconds", trial.setup_seconds},
            {"solve_seconds", trial.solve_seconds},
            {"iterations", trial.iterations},
            {"relative_residual", trial.residual ? Json(*trial.residual) : Json(nullptr)},
            {"bytes", trial.bytes}};
}

std::string_view suitability_word(Suitability value) {
    switch (value) {
        case Suitability::certain:
            return "yes";
        case Suitability::possible:
            return "perhaps";
        default:
            return "no";
    }
}

}  // namespace

std::string info_json(const InfoReport& report) {
    const MatrixInfo& m = report.matrix;
    const RowStatistics& rows = m.rows;
    Json json;
    json["stiefel"] = version;
    json["command"] = "info";
    json["run"] = run_json(report.run);
    json["matrix"] = {
        {"path", report.path},       {"n_rows", m.n_rows},    {"n_cols", m.n_cols},         {"nnz", m.nnz},
        {"stored", report.n_stored}, {"field", report.field}, {"symmetry", report.symmetry}};
    json["row_lengths"] = {{"min", rows.shortest},  {"max", rows.longest},         {"mean", rows.mean},
                           {"median", rows.median}, {"deviation", rows.deviation}, {"empty", rows.n_empty}};
    json["bandwidth"] = {{"lower", m.band.lower}, {"upper", m.band.upper}, {"profile", m.band.profile}};
    json["values"] = {{"min_abs", m.values.min_abs}, {"max_abs", m.values.max_abs}, {"zeros", m.values.zero.count}};
    json["symmetry"] = m.symmetry ? symmetry_json(*m.symmetry) : Json(nullptr);
    json["components"] = m.components ? components_json(*m.components) : Json(nullptr);
    json["diagonal"] = m.diagonal ? diagonal_json(*m.diagonal) : Json(nullptr);
    json["solvable"] = suitability_word(suitability(m));
    for (const auto& [format, bytes] : m.bytes) json["bytes"][std::string(format)] = bytes;
    json["auto"] = {{"format", report.auto_format}, {"kernel", report.auto_kernel}, {"reason", report.auto_reason}};
    json["trials"] = Json::array();
    for (const PreconditionerTrial& trial : report.trials) json["trials"].push_back(trial_json(trial));
    const PreconditionerTrial* const best = fastest(report.trials);
    json["fastest"] = best == nullptr ? Json(nullptr) : Json(best->name);
    json["ranks"] = ranks_json(report.ranks);
    json["notes"] = report.notes;
    return dumped(json);
}

}  // namespace stiefel::cli
