#include "bench/dense_setting.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/openmp.hpp"

#include <charconv>

namespace stiefel::bench {

namespace {

template <class T>
T parse_number(const std::string& name, const std::string& text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value <= 0) {
        throw InvalidArgument(name + " needs a positive number, not '" + text + "'");
    }
    return value;
}

bool parse_choice(const std::string& name, const std::string& text, const char* no, const char* yes) {
    if (text == yes) return true;
    if (text == no) return false;
    throw InvalidArgument(name + " must be " + no + " or " + yes + ", not '" + text + "'");
}

}  // namespace

DenseSetting parse_dense_setting(const std::vector<std::string>& arguments, DenseSetting setting) {
    std::vector<Index> sizes;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        if (!name.starts_with("--")) {
            sizes.push_back(parse_number<Index>("SIZE", name));
            continue;
        }
        if (++i == arguments.size()) throw InvalidArgument(name + " needs a value");
        const std::string& value = arguments[i];
        if (name == "--backend") {
            setting.cuda = parse_choice(name, value, "host", "cuda");
        } else if (name == "--type") {
            setting.single = parse_choice(name, value, "double", "single");
        } else if (name == "--threads") {
            setting.threads = parse_number<int>(name, value);
        } else if (name == "--repetitions") {
            setting.repetitions = parse_number<int>(name, value);
        } else if (name == "--limit") {
            setting.limit_seconds = parse_number<double>(name, value);
        } else if (name == "--sweep") {
            setting.sweep = value;
        } else {
            throw InvalidArgument("unknown option " + name);
        }
    }
    if (!sizes.empty()) setting.sizes = sizes;
    setting.threads = OpenMP(setting.threads).threads();
    return setting;
}

}  // namespace stiefel::bench
