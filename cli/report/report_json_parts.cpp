#include "stiefel/cli/report/report_json_parts.hpp"

namespace stiefel::cli {

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
            {"compiler", run.compiler}};
}

Json matrix_json(const SolveReport::Matrix& matrix) {
    return {{"path", matrix.path},         {"n_rows", matrix.n_rows}, {"n_cols", matrix.n_cols}, {"nnz", matrix.nnz},
            {"symmetry", matrix.symmetry}, {"format", matrix.format}, {"bytes", matrix.bytes}};
}

Json backend_json(const SolveReport::Backend& backend) {
    return {{"name", backend.name},
            {"threads", backend.threads},
            {"device", backend.device},
            {"software", optional_json(backend.software)}};
}

Json seconds_json(const SolveReport::Seconds& seconds) {
    return {{"read", seconds.read},         {"start", seconds.start},        {"convert", seconds.convert},
            {"setup", seconds.setup},       {"upload", seconds.upload},      {"solve", seconds.solve},
            {"download", seconds.download}, {"write", seconds.write},        {"total", seconds.total},
            {"compare", seconds.compare},   {"bandwidth", seconds.bandwidth}};
}

Json preconditioner_json(const PreconditionerDetails& about) {
    const auto of_levels = [&](double value) { return about.levels.empty() ? Json(nullptr) : Json(value); };
    Json levels = Json::array(), setup = Json::array();
    for (const auto& level : about.levels) {
        levels.push_back(
            {{"rows", level.rows}, {"nonzeros", level.nonzeros}, {"bytes", level.bytes}, {"seconds", level.seconds}});
    }
    for (const auto& step : about.setup) setup.push_back({{"step", step.name}, {"seconds", step.seconds}});
    return {{"levels", levels},
            {"operator_complexity", of_levels(about.operator_complexity())},
            {"grid_complexity", of_levels(about.grid_complexity())},
            {"setup", setup},
            {"seconds", about.seconds},
            {"bytes", about.bytes}};
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

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace stiefel::cli
