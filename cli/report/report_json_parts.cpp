#include "stiefel/cli/report/report_json_parts.hpp"

#include "stiefel/cli/report/ranks_parts.hpp"
#include "stiefel/cli/version.hpp"

namespace stiefel::cli {

namespace {

Json matrix_json(const ComputationReport::Matrix& matrix) {
    return {{"path", matrix.path},         {"n_rows", matrix.n_rows}, {"n_cols", matrix.n_cols}, {"nnz", matrix.nnz},
            {"symmetry", matrix.symmetry}, {"format", matrix.format}, {"bytes", matrix.bytes}};
}

Json backend_json(const ComputationReport::Backend& backend) {
    return {{"name", backend.name},
            {"threads", backend.threads},
            {"device", backend.device},
            {"software", optional_json(backend.software)}};
}

Json seconds_json(const ComputationReport::Seconds& seconds) {
    return {{"read", seconds.read},         {"start", seconds.start},         {"convert", seconds.convert},
            {"setup", seconds.setup},       {"upload", seconds.upload},       {"solve", seconds.solve},
            {"download", seconds.download}, {"write", seconds.write},         {"total", seconds.total},
            {"compare", seconds.compare},   {"bandwidth", seconds.bandwidth}, {"choose", seconds.choose},
            {"examine", seconds.examine},   {"sample", seconds.sample}};
}

Json kernels_json(const std::vector<KernelTime>& kernels, std::optional<double> read_bandwidth) {
    Json list = Json::array();
    for (const KernelTime& kernel : kernels) {
        const KernelRates rates = rates_of(kernel, read_bandwidth);
        list.push_back({{"name", kernel.name},
                        {"calls", kernel.calls},
                        {"seconds", kernel.seconds},
                        {"gbytes_per_s", rates.gbytes_per_s},
                        {"gflops", rates.gflops},
                        {"fraction_of_bandwidth", optional_json(rates.fraction_of_bandwidth)}});
    }
    return list;
}

Json factorisation_json(const std::optional<PreconditionerDetails::Factorisation>& about) {
    if (!about) return {};
    return {{"ordering", about->ordering}, {"supernodes", about->supernodes}, {"level_sets", about->level_sets},
            {"nonzeros", about->nonzeros}, {"flops", about->flops},           {"shift", about->shift},
            {"vertices", about->vertices}, {"couplings", about->couplings}};
}

Json sparse_inverse_json(const std::optional<PreconditionerDetails::SparseInverse>& about) {
    if (!about) return {};
    return {{"power", about->power},
            {"steps", about->steps},
            {"nonzeros", about->nonzeros},
            {"jacobi_rows", about->jacobi_rows}};
}

Json blocks_json(const std::optional<PreconditionerDetails::Blocks>& about) {
    if (!about) return {};
    return {{"found", about->are_found},
            {"number", about->number},
            {"largest", about->largest},
            {"mean", about->mean()},
            {"jacobi_blocks", about->jacobi_blocks}};
}

}  // namespace

Json optional_json(std::optional<double> value) {
    return value ? Json(*value) : Json(nullptr);
}

Json optional_json(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json run_json(const RunInfo& run) {
    return {{"command_line", run.command_line},
            {"date", run.date},
            {"host", run.host},
            {"processor", run.processor},
            {"logical_processors", run.logical_processors},
            {"system", run.system},
            {"compiler", run.compiler},
            {"commit", optional_json(run.commit)}};
}

Json report_head(const char* command, const ComputationReport& report) {
    return {{"stiefel", version},
            {"command", command},
            {"run", run_json(report.run)},
            {"matrix", matrix_json(report.matrix)},
            {"backend", backend_json(report.backend)}};
}

Json method_json(const ComputationReport::Method& method) {
    return {{"preconditioner", method.preconditioner},
            {"preconditioner_reason", optional_json(method.preconditioner_reason)},
            {"precision", method.precision},
            {"rtol", method.rtol},
            {"max_iterations", method.max_iterations},
            {"time_limit", method.time_limit},
            {"kernel", method.kernel},
            {"kernel_reason", method.kernel_reason}};
}

Json preconditioner_json(const PreconditionerDetails& about) {
    const auto of_levels = [&](double value) { return about.levels.empty() ? Json(nullptr) : Json(value); };
    const auto of_parts = [&](const auto& part) { return about.multigrid ? Json((*about.multigrid).*part) : Json(); };
    using Multigrid = PreconditionerDetails::Multigrid;
    Json levels = Json::array(), setup = Json::array();
    for (const auto& level : about.levels) {
        levels.push_back({{"rows", level.rows},
                          {"nonzeros", level.nonzeros},
                          {"visits", level.visits},
                          {"bytes", level.bytes},
                          {"seconds", level.seconds}});
    }
    for (const auto& step : about.setup) setup.push_back({{"step", step.name}, {"seconds", step.seconds}});
    const bool coarsens = about.multigrid && !about.multigrid->coarsening.empty();
    return {{"coarsening", coarsens ? of_parts(&Multigrid::coarsening) : Json()},
            {"smoother", of_parts(&Multigrid::smoother)},
            {"cycle", of_parts(&Multigrid::cycle)},
            {"precision", of_parts(&Multigrid::precision)},
            {"trial_quotient", about.multigrid && about.multigrid->trial ? Json(*about.multigrid->trial) : Json()},
            {"block_size", of_parts(&Multigrid::block_size)},
            {"near_null_space", of_parts(&Multigrid::near_null_space)},
            {"levels", levels},
            {"operator_complexity", of_levels(about.operator_complexity())},
            {"grid_complexity", of_levels(about.grid_complexity())},
            {"factorisation", factorisation_json(about.factorisation)},
            {"sparse_inverse", sparse_inverse_json(about.sparse_inverse)},
            {"blocks", blocks_json(about.blocks)},
            {"setup", setup},
            {"seconds", about.seconds},
            {"bytes", about.bytes}};
}

std::string finished_json(Json json, const ComputationReport& report, const std::vector<KernelTime>& kernels) {
    json["ranks"] = ranks_json(report.ranks);
    json["seconds"] = seconds_json(report.seconds);
    json["kernels"] = kernels_json(kernels, report.read_bandwidth);
    json["read_gbytes_per_s"] = report.read_bandwidth ? Json(*report.read_bandwidth * 1e-9) : Json(nullptr);
    json["peak_gflops"] = report.peak_flops ? Json(*report.peak_flops * 1e-9) : Json(nullptr);
    json["peak_memory_bytes"] = report.peak_memory_bytes;
    json["notes"] = report.notes;
    json["failures"] = report.failures;
    return dumped(json);
}

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace stiefel::cli
