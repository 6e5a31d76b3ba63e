#include "bench/setting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace stiefel::bench {

Setting parse_setting(const std::vector<std::string>& arguments, Setting defaults) {
    Setting setting = std::move(defaults);
    bool named = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--threads") {
            require(i + 1 < arguments.size(), "--threads needs a number");
            const std::string& text = arguments[++i];
            const auto end = text.data() + text.size();
            const auto parsed = std::from_chars(text.data(), end, setting.threads);
            require(parsed.ec == std::errc{} && parsed.ptr == end && setting.threads > 0,
                    "--threads needs a number of at least 1");
        } else if (arguments[i].starts_with("-")) {
            throw InvalidArgument(fmt::format("there is no option {}", arguments[i]));
        } else if (!named) {
            setting.problem = arguments[i];
            setting.sizes.clear();
            named = true;
        } else {
            setting.sizes.push_back(arguments[i]);
        }
    }
    return setting;
}

HostCsr<double> make_matrix(OpenMP& backend, const Setting& setting) {
    const Problem& problem = find_problem(setting.problem);
    ProblemArguments arguments(problem);
    arguments.set_sizes(setting.sizes);
    return problem.make<double>(backend, arguments);
}

std::string describe(const Setting& setting, const HostCsr<double>& a, int threads) {
    return fmt::format("{} {}: {} rows, {} nonzeros, {} threads", setting.problem, fmt::join(setting.sizes, " "),
                       a.n_rows, a.nnz(), threads);
}

ReadProbe read_probe(int threads) {
    return ReadProbe(threads, std::max<Size>(Size{1} << 30, 4 * last_level_cache_bytes()));
}

}  // namespace stiefel::bench
