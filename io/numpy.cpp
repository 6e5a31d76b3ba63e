#include "stiefel/io/numpy.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/io/output_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace stiefel {

namespace {

constexpr std::string_view numpy_magic = "\x93NUMPY";
constexpr bool host_is_little_endian = std::endian::native == std::endian::little;

[[noreturn]] void fail(const InputText& input, std::string_view message) {
    throw ParseError(input.name(), 0, 0, message);
}

/// The text behind 'key': in the header's line of Python.
std::string_view value_of(std::string_view line, std::string_view key, const InputText& input) {
    const std::size_t at = line.find(fmt::format("'{}':", key));
    if (at == line.npos) fail(input, fmt::format("the header of the .npy file says nothing of '{}'", key));
    line.remove_prefix(at + key.size() + 3);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
}

void parse_type(std::string_view line, NumpyHeader& header, const InputText& input) {
    const std::string_view type = value_of(line, "descr", input).substr(0, 5);
    const std::string_view number = type.size() == 5 ? type.substr(2, 3) : "";
    const bool has_order = type.size() == 5 && (type[1] == '<' || type[1] == '>');
    if (!has_order || (number != "f8'" && number != "f4'")) {
        fail(input, fmt::format("the .npy file holds numbers of type {}; expected float64 or float32: in Python "
                                "numpy.save('b.npy', a.astype('f8'))",
                                value_of(line, "descr", input).substr(0, 8)));
    }
    header.is_double = number == "f8'";
    header.is_little_endian = type[1] == '<';
}

void parse_shape(std::string_view line, NumpyHeader& header, const InputText& input) {
    std::string_view shape = value_of(line, "shape", input);
    shape = shape.substr(0, shape.find(')') + 1);
    std::string_view rest = shape.starts_with('(') ? shape.substr(1) : "";
    Index sizes[2] = {0, 1};
    int n = 0;
    for (; n < 2; ++n) {
        rest.remove_prefix(std::min(rest.find_first_not_of(", "), rest.size()));
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), sizes[n]);
        if (error != std::errc{} || sizes[n] < 0) break;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    if (n == 0 || rest.find_first_not_of(", )") != rest.npos) {
        fail(input, fmt::format("the .npy file holds an array of shape {}; expected one dimension or two", shape));
    }
    header.n_rows = sizes[0];
    header.n_cols = n == 2 ? sizes[1] : 1;
}

template <class Number>
Number number_at(const char* bytes, bool is_little_endian) {
    using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
    Bits bits;
    std::memcpy(&bits, bytes, sizeof bits);
    if (is_little_endian != host_is_little_endian) {
        if constexpr (sizeof(Number) == 8) {
            bits = __builtin_bswap64(bits);
        } else {
            bits = __builtin_bswap32(bits);
        }
    }
    return std::bit_cast<Number>(bits);
}

}  // namespace

NumpyHeader parse_numpy_header(const InputText& input) {
    constexpr std::size_t preamble = 12;
    const std::string start = input.beginning(preamble);
    if (!start.starts_with(numpy_magic) || start.size() < preamble) fail(input, "the .npy file is cut short");
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
    const bool is_first_version = byte(6) == 1;
    const std::size_t text = is_first_version ? 10 : 12;
    std::size_t length = byte(8) | byte(9) << 8;
    if (!is_first_version) length |= byte(10) << 16 | byte(11) << 24;
    NumpyHeader header{.body = text + length};
    if (header.body > input.size()) fail(input, "the .npy file is cut short");
    const std::string beginning = input.beginning(header.body);
    const std::string_view line = std::string_view(beginning).substr(text);
    parse_type(line, header, input);
    parse_shape(line, header, input);
    header.is_fortran_order = value_of(line, "fortran_order", input).starts_with("True");
    const auto there = static_cast<Size>(input.size() - header.body) / (header.is_double ? 8 : 4);
    const Size wanted = Size{header.n_rows} * header.n_cols;
    if (there < wanted) {
        fail(input, fmt::format("the .npy file is cut short: expected {} numbers, found {}", wanted, there));
    }
    return header;
}

template <class T>
DenseArray<T> parse_numpy(InputText& input, const NumpyHeader& header, const ReadOptions& options) {
    const std::span<const char> bytes = input.load(options.threads).subspan(header.body);
    const Size n_rows = header.n_rows, n_cols = header.n_cols;
    DenseArray<T> array{header.n_rows, header.n_cols, HostVector<T>(n_rows * n_cols)};
    if (array.values.empty()) return array;  // such as 0 rows of 2^31 - 1 columns
    for (Size j = 0; j < n_cols; ++j) {
        for (Size i = 0; i < n_rows; ++i) {
            const auto at = static_cast<std::size_t>(header.is_fortran_order ? j * n_rows + i : i * n_cols + j);
            const double value = header.is_double ? number_at<double>(bytes.data() + 8 * at, header.is_little_endian)
                                                  : number_at<float>(bytes.data() + 4 * at, header.is_little_endian);
            const T rounded = static_cast<T>(value);
            if (!std::isfinite(rounded)) {
                fail(input, fmt::format("expected finite numbers{}, found {} in row {}, column {}",
                                        std::isfinite(value) ? " of single precision" : "", value, i + 1, j + 1));
            }
            array.values[j * n_rows + i] = rounded;
        }
    }
    return array;
}

template <class T>
void write_numpy(const std::string& path, Index n_rows, Index n_cols, std::span<const T> values) {
    require(static_cast<Size>(values.size()) == Size{n_rows} * n_cols,
            "write_numpy: values must hold n_rows n_cols numbers");
    const std::string shape = n_cols == 1 ? fmt::format("({},)", n_rows) : fmt::format("({}, {})", n_rows, n_cols);
    std::string line = fmt::format("{{'descr': '{}f{}', 'fortran_order': True, 'shape': {}, }}",
                                   host_is_little_endian ? '<' : '>', sizeof(T), shape);
    // The numbers start at a multiple of 64; the line ends with '\n'.
    const std::size_t preamble = numpy_magic.size() + 4;
    line.append(63 - (preamble + line.size()) % 64, ' ');
    line += '\n';
    std::string head(numpy_magic);
    head += '\1';
    head += '\0';
    head += static_cast<char>(line.size() & 0xff);
    head += static_cast<char>(line.size() >> 8);
    OutputFile file(path);
    file.write(head + line);
    file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    file.commit();
}

template DenseArray<double> parse_numpy(InputText&, const NumpyHeader&, const ReadOptions&);
template DenseArray<float> parse_numpy(InputText&, const NumpyHeader&, const ReadOptions&);
template void write_numpy(const std::string&, Index, Index, std::span<const double>);
template void write_numpy(const std::string&, Index, Index, std::span<const float>);

}  // namespace stiefel
