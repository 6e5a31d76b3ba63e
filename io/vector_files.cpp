#include "stiefel/io/vector_files.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/numpy.hpp"
#include "stiefel/io/parallel_text.hpp"
#include "stiefel/io/text.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace stiefel {

namespace {

namespace fs = std::filesystem;

std::string ending_of(const fs::path& path) {
    std::string ending = path.extension().string();
    for (char& c : ending) c = lower(c);
    return ending;
}

template <class T>
void write_csv(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values, int threads) {
    require(static_cast<Size>(values.size()) == Size{n_rows} * n_cols,
            "write_vectors: values must hold n_rows n_cols numbers");
    write_text(path, "", n_rows, n_cols * longest_number, threads, [&](char* at, Size i) {
        for (Size j = 0; j < n_cols; ++j) {
            at = put_number(at, values[static_cast<std::size_t>(j * n_rows + i)], j + 1 < n_cols ? ',' : '\n');
        }
        return at;
    });
}

}  // namespace

std::optional<VectorFormat> vector_format_of(const std::string& path) {
    using enum VectorFormat;
    std::error_code error;
    if (path == "-" || fs::is_other(fs::status(path, error))) return matrix_market;
    fs::path name = fs::path(path).filename();
    std::string ending = ending_of(name);
    const bool is_packed = ending == ".gz";
    if (is_packed) ending = ending_of(name.replace_extension());
    if (ending.empty() || ending == ".mtx") return matrix_market;
    if (ending == ".csv") return csv;
    if (ending == ".npy" && !is_packed) return numpy;
    return {};
}

template <class T>
void write_vectors(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values,
                   const WriteOptions& options) {
    const std::optional<VectorFormat> format = vector_format_of(path);
    if (!format) throw InvalidArgument(fmt::format("write_vectors: {} should end in {}", path, vector_endings));
    switch (*format) {
        case VectorFormat::matrix_market:
            return write_array(path, n_rows, n_cols, values, options);
        case VectorFormat::numpy:
            return write_numpy(path, n_rows, n_cols, values);
        case VectorFormat::csv:
            return write_csv(path, n_rows, n_cols, values, options.threads);
    }
}

template void write_vectors(const std::string&, Index, Index, std::span<const double>, const WriteOptions&);
template void write_vectors(const std::string&, Index, Index, std::span<const float>, const WriteOptions&);

}  // namespace stiefel
