#include "bench/suites/suite_file.hpp"

#include "bench/suites/suite_json.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace stiefel::bench {

namespace {

std::string option_of(const std::vector<std::string>& command, const std::string& name) {
    const auto found = std::find(command.begin(), command.end(), name);
    return found == command.end() || found + 1 == command.end() ? "none" : found[1];
}

template <class T>
void require_same(const std::string& path, const char* what, const T& there, const T& here) {
    if (there == here) return;
    throw InvalidArgument(fmt::format(
        "{} was measured with another {} ({}; now {}): --restart measures all anew, --output FILE begins another file",
        path, what, there, here));
}

void require_same_origin(const std::string& path, const SuiteHeader& there, const SuiteHeader& here) {
    const auto same = [&](const char* what, const auto& a, const auto& b) { require_same(path, what, a, b); };
    const auto text = [](bool quick) { return std::string(quick ? "with --quick" : "without --quick"); };
    same("suite", there.suite, here.suite);
    same("scope", text(there.quick), text(here.quick));
    same("folder of --matrices", option_of(there.command, "--matrices"), option_of(here.command, "--matrices"));
    const SuiteMachine &a = there.machine, &b = here.machine;
    same("processor", a.cpu, b.cpu);
    same("number of cores", a.cores, b.cores);
    same("memory", format_bytes(a.memory_bytes), format_bytes(b.memory_bytes));
    same("instruction set", a.instruction_sets, b.instruction_sets);
    if (a.gpu && b.gpu) same("device", *a.gpu, *b.gpu);
    same("version", there.build.version, here.build.version);
    same("commit", there.build.commit, here.build.commit);
    same("compiler", there.build.compiler, here.build.compiler);
    same("CUDA", there.build.cuda.value_or("none"), here.build.cuda.value_or("none"));
}

}  // namespace

SuiteFile::SuiteFile(std::string path, SuiteHeader header) : path_(std::move(path)), header_(std::move(header)) {}

SuiteFile SuiteFile::resume(const std::string& path, const SuiteHeader& header) {
    if (!std::filesystem::exists(path)) return SuiteFile(path, header);
    SuiteFile there = read_suite_file(path);
    require_same_origin(path, there.header(), header);
    there.header_.command = header.command;
    there.header_.libraries = header.libraries;
    if (header.machine.gpu) there.header_.machine.gpu = header.machine.gpu;
    return there;
}

void SuiteFile::set_bandwidth(double host, std::optional<double> gpu) {
    header_.machine.host_bandwidth = host;
    if (gpu) header_.machine.gpu_bandwidth = gpu;
}

bool SuiteFile::has(const Labels& labels) const {
    const auto place = places_.find(labels);
    return place != places_.end() && cases_[place->second].is_measured();
}

void SuiteFile::put(CaseRecord record) {
    const auto [place, is_new] = places_.emplace(record.labels, cases_.size());
    if (is_new) {
        cases_.push_back(std::move(record));
    } else {
        cases_[place->second] = std::move(record);
    }
}

void SuiteFile::save() const {
    write_file(path_, suite_json(header_, cases_));
}

SuiteFile read_suite_file(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw FileError(path, "it cannot be read");
    SuiteHeader header;
    std::vector<CaseRecord> cases;
    parse_suite_json(path, text.str(), header, cases);
    SuiteFile read(path, std::move(header));
    for (CaseRecord& record : cases) read.put(std::move(record));
    return read;
}

}  // namespace stiefel::bench
