#pragma once

#include "bench/suites/case_record.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stiefel::bench {

/// What timings were taken on. It says nothing of whose machine it is.
struct SuiteMachine {
    std::string cpu = {};
    int cores = 0;
    Size memory_bytes = 0;
    std::string instruction_sets = {};
    double host_bandwidth = 0;  ///< bytes per second of a copy, read and written both counted
    std::optional<std::string> gpu = {};
    std::optional<double> gpu_bandwidth = {};
};

/// What timings were taken of.
struct SuiteBuild {
    std::string version = {};
    std::string commit = {};
    std::string compiler = {};
    std::optional<std::string> cuda = {};

    bool operator==(const SuiteBuild&) const = default;
};

struct SuiteHeader {
    std::string suite = {};
    bool quick = false;
    std::string started = {};  ///< "2026-11-22T18:00:00Z"
    std::vector<std::string> command = {};
    SuiteMachine machine = {};
    SuiteBuild build = {};
    std::map<std::string, std::optional<std::string>> libraries = {};  ///< references measured beside, with versions
};

/// The JSON of a suite (docs/performance/suites.md): what was measured, and on what. It is written as a whole, so that
/// whatever ends the program leaves a complete file.
class SuiteFile {
public:
    /// A new one, with nothing measured.
    SuiteFile(std::string path, SuiteHeader header);

    /// Goes on with the file where there is one. Throws FileError and ParseError where it cannot be read, and
    /// InvalidArgument where it is of another suite, machine, build or folder of matrices: their times would be mixed.
    static SuiteFile resume(const std::string& path, const SuiteHeader& header);

    const std::string& path() const { return path_; }
    const SuiteHeader& header() const { return header_; }
    void set_bandwidth(double host, std::optional<double> gpu);
    const std::vector<CaseRecord>& cases() const { return cases_; }

    /// Whether a case with these labels has been measured. What was refused is tried again: limits may be others.
    bool has(const Labels& labels) const;

    /// Adds it, or puts it in the place of the one with its labels.
    void put(CaseRecord record);

    /// Throws FileError.
    void save() const;

private:
    std::string path_;
    SuiteHeader header_;
    std::vector<CaseRecord> cases_;
    std::map<Labels, std::size_t> places_;
};

/// Reads a suite's file. Throws FileError, ParseError.
SuiteFile read_suite_file(const std::string& path);

}  // namespace stiefel::bench
