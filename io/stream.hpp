#pragma once

#include "stiefel/io/input_file.hpp"
#include "stiefel/io/mapping.hpp"
#include "stiefel/io/wanted.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <string>

namespace stiefel {

/// How long a text may become whose end is not known beforehand: a stream, or what a gzip file unpacks to. Its first
/// lines tell whether it is one that is read at all, and its header how many entries are to come. So /dev/zero is
/// refused after a page, and an endless stream of entries once it is far longer than those announced can be.
class StreamLimit {
public:
    StreamLimit(std::string name, Wanted wanted) : name_(std::move(name)), wanted_(wanted) {}

    /// Looks at the text so far (which may be gzip data). Throws ParseError if it cannot be the beginning of anything
    /// that is read, and refuses what is longer than most().
    void look(std::span<const char> text);

    /// The longest it may become, as far as is known.
    std::size_t most() const { return most_; }

    [[noreturn]] void refuse() const;

private:
    void settle(std::span<const char> text);

    std::string name_;
    Wanted wanted_;
    std::size_t most_ = std::numeric_limits<std::size_t>::max();
    bool is_settled_ = false;
    std::size_t next_look_ = 1;
};

/// To how many bytes the memory of a text may grow that has so many: those wanted, or less, for its entries need about
/// as much again. Throws OutOfMemory where it cannot grow at all.
std::size_t room_for_text(std::size_t wanted, std::size_t present, const std::string& name);

/// Reads to the end of a pipe, a device, or anything else whose size is not known beforehand. Throws FileError,
/// OutOfMemory, and ParseError as StreamLimit does, as soon as it can be told.
Mapping read_stream(const InputFile& file, Wanted wanted);

}  // namespace stiefel
