#include "stiefel/io/foreign_formats.hpp"

#include "stiefel/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel {

namespace {

using namespace std::string_view_literals;

/// A format and the bytes that tell it: `magic` at the start, and `mark` (unless empty) somewhere in the first 512.
/// In `way_out`, {} stands for the name of the file.
struct ForeignFormat {
    std::string_view magic;
    std::string_view mark;
    std::string_view what;
    std::string_view way_out;
};

constexpr std::string_view scipy = "python3 -c \"import scipy.io as s; s.mmwrite('A.mtx', ";

constexpr ForeignFormat formats[] = {
    {"BZh", "", "compressed with bzip2", "bzip2 -dc '{}' | stiefel ... -"},
    {"\xfd"
     "7zXZ\0"sv,
     "", "compressed with xz", "xz -dc '{}' | stiefel ... -"},
    {"\x28\xb5\x2f\xfd", "", "compressed with zstd", "zstd -dc '{}' | stiefel ... -"},
    {"7z\xbc\xaf", "", "a 7z archive", "7z x '{}'"},
    {"\x1f\x9d", "", "compressed with compress (.Z)", "gzip -dc '{}' | stiefel ... -"},
    {"PK\x03\x04", "indptr.npy", "a SciPy sparse matrix (.npz)", "SCIPYs.sparse.load_npz('{}'))\""},
    {"PK\x03\x04", "indices.npy", "a SciPy sparse matrix (.npz)", "SCIPYs.sparse.load_npz('{}'))\""},
    {"PK\x03\x04", ".npy", "a NumPy archive (.npz)",
     "python3 -c \"import numpy; z = numpy.load('{}'); [numpy.save(k, z[k]) for k in z]\", whose .npy files are "
     "read as vectors"},
    {"PK\x03\x04", "[Content_Types].xml", "an Office document (zip)", "save the sheet as text, lines 'i j value'"},
    {"PK\x03\x04", "", "compressed with zip", "unzip -p '{}' | stiefel ... -"},
    {"MATLAB 5", "", "a MATLAB file (.mat, version 5)", "SCIPYs.loadmat('{}')['A'])\" (A: the variable's name)"},
    {"MATLAB 7.3", "", "a MATLAB file (.mat, version 7.3, HDF5)",
     "in MATLAB save(file, 'A', '-v7'), then SCIPYs.loadmat(file)['A'])\""},
    {"\x89HDF\r\n", "", "an HDF5 file",
     "SCIPYs.sparse.csc_matrix(...))\" from the arrays that h5py.File('{}') shows (data, indices, indptr)"},
    {"\xff\xfe", "", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 '{}' | stiefel ... -"},
    {"\xfe\xff", "", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 '{}' | stiefel ... -"},
    {"%\0%\0M\0"sv, "", "UTF-16 text", "iconv -f UTF-16LE -t UTF-8 '{}' | stiefel ... -"},
    {"\0%\0%\0M"sv, "", "UTF-16 text", "iconv -f UTF-16BE -t UTF-8 '{}' | stiefel ... -"},
    {"<!DOCTYPE", "", "a web page, not a matrix", "see what the server says in it, and fetch the file again"},
    {"<!doctype", "", "a web page, not a matrix", "see what the server says in it, and fetch the file again"},
    {"<html", "", "a web page, not a matrix", "see what the server says in it, and fetch the file again"},
    {"version https://git-lfs", "", "a pointer of Git LFS, not the file itself", "git lfs pull"},
};

std::string filled_in(std::string_view way_out, const std::string& name) {
    std::string text(way_out);
    if (const auto at = text.find("SCIPY"); at != text.npos) text.replace(at, 5, scipy);
    if (const auto at = text.find("{}"); at != text.npos) text.replace(at, 2, name);
    return text;
}

bool has_only_carriage_returns(std::string_view text) {
    return text.starts_with("%%") && text.find('\n') == text.npos && text.find('\r') != text.npos;
}

}  // namespace

void refuse_foreign(std::string_view beginning, const std::string& name) {
    constexpr std::string_view are_read =
        "Matrix Market, Harwell-Boeing and 'i j value' text are read, plain, .gz or "
        ".tar.gz";
    for (const ForeignFormat& format : formats) {
        if (!beginning.starts_with(format.magic) || beginning.find(format.mark) == beginning.npos) continue;
        throw ParseError(
            name, 0, 0,
            fmt::format("is {}; {}. To convert: {}", format.what, are_read, filled_in(format.way_out, name)));
    }
    if (has_only_carriage_returns(beginning)) {
        throw ParseError(name, 0, 0,
                         fmt::format("has lines that end in CR alone; LF and CRLF are read. To convert: "
                                     "tr '\\r' '\\n' < '{}' | stiefel ... -",
                                     name));
    }
}

void refuse_separated_values(std::string_view beginning, const std::string& name) {
    const std::string_view line = beginning.substr(0, beginning.find('\n'));
    const char separator = line.find(';') != line.npos ? ';' : ',';
    const auto n_fields = 1 + std::count(line.begin(), line.end(), separator);
    const bool is_text =
        std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' || c == '\t' || c == '\r'; });
    if (n_fields < 2 || !is_text || line.find_first_of("0123456789") == line.npos) return;
    const std::string way_out =
        n_fields == 3 ? fmt::format("lines 'i{0}j{0}value' are read with blanks: tr '{0}' ' ' < '{1}' | stiefel ... -",
                                    separator, name)
                      : fmt::format("{}numpy.loadtxt('{}', delimiter='{}'))\"",
                                    "python3 -c \"import numpy, scipy.io as s; s.mmwrite('A.mtx', ", name, separator);
    throw ParseError(name, 1, 0,
                     fmt::format("looks like values separated by '{}' (CSV); expected '%%MatrixMarket matrix ...'. To "
                                 "convert: {}",
                                 separator, way_out));
}

}  // namespace stiefel
