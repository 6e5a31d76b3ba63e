#include "bench/suites/suite_json.hpp"

#include "bench/suites/sampler.hpp"

#include "stiefel/core/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace stiefel::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "stiefel-suite/1";

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

template <class T>
std::optional<T> optional_of(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional<T>(json.get<T>());
}

/// Whole numbers without a point, others with six digits, which no timing exceeds; NaN becomes null.
Json shortened(double value) {
    constexpr double exact = 0x1p53;
    if (value == std::floor(value) && std::abs(value) < exact) return static_cast<Size>(value);
    return six_digits(value);
}

Json json_of(const SuiteMachine& machine) {
    return {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"memory_bytes", machine.memory_bytes},
            {"instruction_sets", machine.instruction_sets},
            {"host_bandwidth", shortened(std::round(machine.host_bandwidth))},
            {"gpu", or_null(machine.gpu)},
            {"gpu_bandwidth", or_null(machine.gpu_bandwidth)}};
}

Json json_of(const SuiteBuild& build) {
    return {{"version", build.version},
            {"commit", build.commit},
            {"compiler", build.compiler},
            {"cuda", or_null(build.cuda)}};
}

Json json_of(const CaseRecord& record) {
    Json labels = Json::object(), values = Json::object(), history = Json::array();
    for (const auto& [name, label] : record.labels) {
        std::visit([&, key = name](const auto& value) { labels[key] = value; }, label);
    }
    for (const auto& [name, value] : record.values) values[name] = shortened(value);
    Json json{{"labels", labels}, {"work", nullptr}, {"seconds", record.seconds}, {"values", values}};
    if (record.work)
        json["work"] = {{"flops", shortened(record.work->flops)}, {"bytes", shortened(record.work->bytes)}};
    for (const auto& [iteration, residual] : record.history) history.push_back({iteration, residual});
    if (!record.history.empty()) json["history"] = history;
    if (!record.is_measured()) json["refused"] = record.refused;
    return json;
}

LabelValue label_of(const Json& json) {
    if (json.is_number_integer()) return json.get<Size>();
    if (json.is_number()) return json.get<double>();
    return json.get<std::string>();
}

/// NaN is written as null.
double number_of(const Json& json) {
    return json.is_null() ? std::nan("") : json.get<double>();
}

CaseRecord case_of(const Json& json) {
    CaseRecord record;
    for (const auto& [name, label] : json.at("labels").items()) record.labels.emplace_back(name, label_of(label));
    const Json& work = json.at("work");
    if (!work.is_null()) record.work = {.bytes = work.at("bytes"), .flops = work.at("flops")};
    record.seconds = json.at("seconds").get<std::vector<double>>();
    for (const auto& [name, value] : json.at("values").items()) record.set(name, number_of(value));
    if (json.contains("history")) {
        for (const Json& entry : json["history"]) record.history.emplace_back(entry.at(0), number_of(entry.at(1)));
    }
    if (json.contains("refused") && !json["refused"].is_null()) record.refused = json["refused"];
    return record;
}

SuiteHeader header_of(const Json& json) {
    SuiteHeader header{.suite = json.at("suite"),
                       .quick = json.at("quick"),
                       .started = json.at("started"),
                       .command = json.at("command").get<std::vector<std::string>>()};
    const Json &machine = json.at("machine"), &build = json.at("build");
    header.machine = {.cpu = machine.at("cpu"),
                      .cores = machine.at("cores"),
                      .memory_bytes = machine.at("memory_bytes"),
                      .instruction_sets = machine.at("instruction_sets"),
                      .host_bandwidth = machine.at("host_bandwidth"),
                      .gpu = optional_of<std::string>(machine.at("gpu")),
                      .gpu_bandwidth = optional_of<double>(machine.at("gpu_bandwidth"))};
    header.build = {.version = build.at("version"),
                    .commit = build.at("commit"),
                    .compiler = build.at("compiler"),
                    .cuda = optional_of<std::string>(build.at("cuda"))};
    for (const auto& [name, version] : json.at("libraries").items()) {
        header.libraries[name] = optional_of<std::string>(version);
    }
    return header;
}

}  // namespace

std::string suite_json(const SuiteHeader& header, const std::vector<CaseRecord>& cases) {
    Json libraries = Json::object();
    for (const auto& [name, version] : header.libraries) libraries[name] = or_null(version);
    const Json head{{"schema", schema},
                    {"suite", header.suite},
                    {"quick", header.quick},
                    {"started", header.started},
                    {"command", header.command},
                    {"machine", json_of(header.machine)},
                    {"build", json_of(header.build)},
                    {"libraries", libraries}};
    std::string text = "{";
    for (const auto& [name, value] : head.items()) text += fmt::format("\"{}\": {},\n", name, value.dump());
    text += "\"cases\": [";
    const char* before = "\n";
    for (const CaseRecord& record : cases) {
        text += before + json_of(record).dump();
        before = ",\n";
    }
    return text + "\n]}\n";
}

void parse_suite_json(const std::string& path, const std::string& text, SuiteHeader& header,
                      std::vector<CaseRecord>& cases) {
    try {
        const Json json = Json::parse(text);
        if (!json.is_object() || json.value("schema", "") != schema) {
            throw ParseError(path, 0, 0, fmt::format("it is no file of a suite (\"schema\": \"{}\")", schema));
        }
        header = header_of(json);
        for (const Json& entry : json.at("cases")) cases.push_back(case_of(entry));
    } catch (const nlohmann::json::exception& problem) {
        throw ParseError(path, 0, 0, fmt::format("it is not the JSON of a suite: {}", problem.what()));
    }
}

}  // namespace stiefel::bench
