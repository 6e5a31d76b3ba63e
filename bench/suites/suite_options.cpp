#include "bench/suites/suite_options.hpp"

#include "bench/suites/suite.hpp"

#include "stiefel/core/memory.hpp"
#include "stiefel/core/openmp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

namespace stiefel::bench {

namespace {

template <class T>
T positive(const std::string& option, const std::string& text, const char* what) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !(value > 0)) {
        throw InvalidArgument(fmt::format("{} needs {}, not '{}'", option, what, text));
    }
    return value;
}

std::vector<int> thread_list(const std::string& text) {
    std::vector<int> list;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        list.push_back(
            positive<int>("--threads", text.substr(begin, end - begin), "numbers with commas between: 1,2,4"));
        begin = end + 1;
    }
    return list;
}

/// 1, 2, 4, ... and all that there are.
std::vector<int> thread_counts() {
    const int all = OpenMP().threads();
    std::vector<int> list;
    for (int threads = 1; threads < all; threads *= 2) list.push_back(threads);
    list.push_back(all);
    return list;
}

std::shared_ptr<Cuda> device(bool asked_for) {
#ifdef STIEFEL_HAS_CUDA
    if (asked_for || n_cuda_devices() > 0) return std::make_shared<Cuda>();
    return nullptr;
#else
    if (!asked_for) return nullptr;
    throw InvalidArgument(
        "--backend cuda: this stiefel-bench was built without CUDA; --backend openmp runs on its cores");
#endif
}

void choose_backend(const std::string& word, SuiteBackends& backends) {
    const bool all = word == "all";
    if (!all && word != "serial" && word != "openmp" && word != "cuda") {
        throw InvalidArgument(fmt::format("--backend must be serial, openmp, cuda or all, not '{}'", word));
    }
    backends.serial = all || word == "serial";
    backends.openmp = all || word == "openmp";
    if (all || word == "cuda") backends.cuda = device(!all);
}

constexpr double gibibyte = 1024.0 * 1024 * 1024;

/// What the options leave to the suite and to the machine.
void fill_in(SuiteOptions& options) {
    if (options.output.empty()) options.output = options.suite + ".json";
    if (options.backends.threads.empty()) options.backends.threads = thread_counts();
    if (options.limit_memory == 0) options.limit_memory = available_memory() / 10 * 8;
    if (options.largest_nnz == 0) options.largest_nnz = options.quick ? 450000 : std::numeric_limits<Size>::max();
    if (options.limit_seconds == 0) options.limit_seconds = options.quick ? 0.25 : 10;
    if (!options.matrices.empty() && !std::filesystem::is_directory(options.matrices)) {
        throw InvalidArgument("--matrices: there is no folder " + options.matrices);
    }
}

}  // namespace

SuiteOptions parse_suite_options(const std::vector<std::string>& arguments) {
    SuiteOptions options{.command = {"suite"}};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    std::string backend = "all";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        const auto value = [&]() -> const std::string& {
            if (i + 1 == arguments.size()) throw InvalidArgument(word + " needs a value");
            return arguments[++i];
        };
        if (word == "--quick") {
            options.quick = true;
        } else if (word == "--restart") {
            options.restart = true;
        } else if (word == "--output") {
            options.output = value();
        } else if (word == "--matrices") {
            options.matrices = value();
        } else if (word == "--backend") {
            backend = value();
        } else if (word == "--threads") {
            options.backends.threads = thread_list(value());
        } else if (word == "--samples") {
            options.samples = positive<int>(word, value(), "a number of at least 1");
        } else if (word == "--limit-seconds") {
            options.limit_seconds = positive<double>(word, value(), "seconds");
        } else if (word == "--limit-memory") {
            options.limit_memory = static_cast<Size>(gibibyte * positive<double>(word, value(), "a size in GiB"));
        } else if (word == "--largest-nnz") {
            options.largest_nnz = static_cast<Size>(positive<double>(word, value(), "a number of nonzeros"));
        } else if (word.starts_with("-")) {
            throw InvalidArgument(fmt::format("there is no option {}; 'stiefel-bench suite --help' lists them", word));
        } else if (!options.suite.empty()) {
            throw InvalidArgument(fmt::format("one suite at a time, not '{}' and '{}'", options.suite, word));
        } else {
            options.suite = find_suite(word).name;
        }
    }
    if (options.suite.empty()) throw InvalidArgument("which suite? 'stiefel-bench suite --help' lists them");
    choose_backend(backend, options.backends);
    fill_in(options);
    return options;
}

std::string suite_help() {
    std::string page =
        "stiefel-bench suite NAME: answers a question by measurements, in a JSON file and a table. Ctrl-C keeps what "
        "was\n"
        "measured; the same command goes on with it.\n\n"
        "usage: stiefel-bench suite NAME [OPTIONS]\n\nsuites:\n";
    for (const Suite& suite : suites()) page += fmt::format("  {:<10} {}\n", suite.name, suite.description);
    page +=
        "\noptions:\n"
        "  --quick               small operands and few samples: under two minutes\n"
        "  --output FILE         the JSON (NAME.json)\n"
        "  --restart             measure all anew, where the file is already there\n"
        "  --backend WORD        serial, openmp, cuda or all that there are (all)\n"
        "  --threads LIST        of OpenMP (1,2,4 and so on up to all)\n"
        "  --matrices FOLDER     measure these Matrix Market files, .mtx and .mtx.gz, in place of the suite's own\n"
        "  --samples N           of each case (20; transpose 100, solve 5; with --quick 5)\n"
        "  --limit-seconds S     of one call: what would take longer is refused (10; with --quick 0.25)\n"
        "  --limit-memory GIB    that operands may take (0.8 of what is free)\n"
        "  --largest-nnz N       of matrices (no limit; with --quick 450000)\n"
        "\ndocs/performance/suites.md says what each suite answers; bench/fetch_suitesparse brings the true matrices "
        "that\n"
        "the stand-ins of spmv and spmm stand for.\n";
    return page;
}

}  // namespace stiefel::bench
