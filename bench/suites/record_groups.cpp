#include "bench/suites/record_groups.hpp"

#include "stiefel/cli/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel::bench {

std::string operand_text(const Labels& labels) {
    const std::string matrix = label_text(labels, "matrix"), n = label_text(labels, "n");
    const std::string density = label_text(labels, "density");
    if (!matrix.empty()) return matrix;
    return density.empty() ? "n " + n : fmt::format("n {}, density {}", n, density);
}

Records pointers(const std::vector<CaseRecord>& cases) {
    Records records;
    for (const CaseRecord& record : cases) records.push_back(&record);
    return records;
}

std::vector<std::string> values_of(const Records& records, std::string_view label) {
    std::vector<std::string> values;
    for (const CaseRecord* record : records) {
        std::string value = label_text(record->labels, label);
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
    }
    return values;
}

Records with(const Records& records, std::string_view label, std::string_view text) {
    Records found;
    std::copy_if(records.begin(), records.end(), std::back_inserter(found),
                 [&](const CaseRecord* record) { return label_text(record->labels, label) == text; });
    return found;
}

std::vector<Records> by_place(const Records& records) {
    std::vector<Records> places;
    for (const std::string& backend : values_of(records, "backend")) {
        const Records on_backend = with(records, "backend", backend);
        for (const std::string& threads : values_of(on_backend, "threads")) {
            places.push_back(with(on_backend, "threads", threads));
        }
    }
    return places;
}

const CaseRecord* fastest(const Records& records) {
    const CaseRecord* best = nullptr;
    for (const CaseRecord* record : records) {
        if (record->seconds.empty()) continue;
        if (best == nullptr || record->median_seconds() < best->median_seconds()) best = record;
    }
    return best;
}

double flops_per_second(const CaseRecord& record) {
    return record.work && !record.seconds.empty() ? record.work->flops / record.median_seconds() : 0;
}

double share_of_bandwidth(const CaseRecord& record, const SuiteMachine& machine) {
    const bool on_device = label_text(record.labels, "backend") == "cuda";
    const double bandwidth = on_device ? machine.gpu_bandwidth.value_or(0) : machine.host_bandwidth;
    if (!record.work || record.seconds.empty() || !(bandwidth > 0)) return 0;
    return record.work->bytes / record.median_seconds() / bandwidth;
}

std::string place_text(const Labels& labels) {
    const std::string backend = label_text(labels, "backend");
    return backend == "openmp" ? fmt::format("openmp {}", label_text(labels, "threads")) : backend;
}

std::string machine_text(const SuiteMachine& machine) {
    std::string text =
        fmt::format("{}, {} cores: copy {:.1f} GB/s", machine.cpu, machine.cores, machine.host_bandwidth / 1e9);
    if (machine.gpu)
        text += fmt::format("; {}: copy {:.0f} GB/s", *machine.gpu, machine.gpu_bandwidth.value_or(0) / 1e9);
    return text + "\n";
}

std::string refusals_text(const std::vector<CaseRecord>& cases) {
    std::vector<std::pair<std::string, int>> reasons;
    for (const CaseRecord& record : cases) {
        if (record.is_measured()) continue;
        const std::string operand = operand_text(record.labels);
        std::string reason = record.refused.starts_with(operand) ? record.refused : operand + ": " + record.refused;
        const auto known =
            std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == reason; });
        if (known == reasons.end()) {
            reasons.emplace_back(std::move(reason), 1);
        } else {
            ++known->second;
        }
    }
    std::string text;
    for (const auto& [reason, count] : reasons) text += fmt::format("  {} ({})\n", reason, cli::counted(count, "case"));
    return text.empty() ? "" : "\nrefused:\n" + text;
}

}  // namespace stiefel::bench
