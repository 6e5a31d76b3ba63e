#pragma once

#include "stiefel/core/error.hpp"
#include "stiefel/io/input.hpp"
#include "stiefel/io/matrix_market_header.hpp"

#include <exception>
#include <string>

namespace stiefel {

struct EntryCounts {
    Size upper = 0;    ///< entries above the diagonal, where the matrix is symmetric or skew-symmetric
    Size lower = 0;    ///< and below it
    Size rounded = 0;  ///< integers that T could not hold
};

/// What the lines of a coordinate matrix hold, in the file's order and orientation.
template <class T>
struct CoordinateBody {
    HostVector<Index> row_idx;
    HostVector<Index> col_idx;
    HostVector<T> values;
    EntryCounts counts = {};
};

template <class T>
struct ArrayBody {
    HostVector<T> values;
    EntryCounts counts = {};
};

/// Parse the lines after the header in parallel. Throw ParseError for the first fault in the file.
template <class T>
CoordinateBody<T> parse_coordinate_body(const InputText& input, const ParsedHeader& header, const ReadOptions& options);
template <class T>
ArrayBody<T> parse_array_body(const InputText& input, const ParsedHeader& header, const ReadOptions& options);

/// A fault in a line of the body, which can be told anew with the line's number in the whole file.
class BodyFault : public ParseError {
public:
    BodyFault(const std::string& file, Size line, Size column, const std::string& problem)
        : ParseError(file, line, column, problem), problem_(problem) {}
    const std::string& problem() const { return problem_; }

private:
    std::string problem_;
};

/// The lines of a coordinate matrix that one of several readers reads. What it cannot know is what the others found:
/// whether the file has as many entries as it says, and which line of the file its first one is.
template <class T>
struct CoordinatePart {
    CoordinateBody<T> body = {};
    Size n_lines = 0;
    Size n_entries = 0;
    std::exception_ptr fault = {};  ///< BodyFault with lines counted from 0 in this part; or what else went wrong
};

/// Parses part number `part` of n_parts, in parallel: about as many bytes as the others, whole lines. Throws
/// OutOfMemory.
template <class T>
CoordinatePart<T> parse_coordinate_part(const InputText& input, const ParsedHeader& header, int part, int n_parts,
                                        const ReadOptions& options);

/// Throws what is wrong in a part, told as if one reader had read all, once it is known what comes before: the fault
/// that was found in it, or the first entry beyond those that the header announces; nothing where all is well.
void refuse_fault(const InputText& input, const ParsedHeader& header, const std::exception_ptr& fault,
                  Size lines_before, Size entries_before, Size n_entries);

/// Throws ParseError at the end of the file if all its lines hold fewer entries than the header says.
void refuse_too_few(const InputText& input, const ParsedHeader& header, Size entries);

/// What to say of an entry beyond those that the header announces; found: its first field, quoted.
std::string one_entry_more(const ParsedHeader& header, const std::string& found);

/// Where entry number `entry` (from 0) stands in the text: looked up by reading it again, for messages.
struct EntryPlace {
    Size line = 0;
    Size column = 0;
    std::string found = {};  ///< its first field, quoted
};
EntryPlace find_entry(const InputText& input, const ParsedHeader& header, Size entry);

}  // namespace stiefel
