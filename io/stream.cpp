#include "stiefel/io/stream.hpp"

#include "stiefel/core/error.hpp"
#include "stiefel/core/memory.hpp"
#include "stiefel/io/foreign_formats.hpp"
#include "stiefel/io/gunzip.hpp"
#include "stiefel/io/harwell_boeing_header.hpp"
#include "stiefel/io/matrix_market_header.hpp"
#include "stiefel/io/number_table.hpp"
#include "stiefel/io/tar.hpp"
#include "stiefel/io/text_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiefel {

namespace {

/// Generous, for this only has to end what would not end: comments, blank lines, and blanks in lines.
constexpr std::size_t longest_header = std::size_t{64} << 20;
constexpr std::size_t longest_entry = 256;

std::size_t longest_text(Size n_entries) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const auto n = static_cast<std::size_t>(n_entries);
    return n < (most - longest_header) / longest_entry ? longest_header + longest_entry * n : most;
}

}  // namespace

void StreamLimit::look(std::span<const char> text) {
    if (!is_settled_ && text.size() >= next_look_) {
        next_look_ = 2 * text.size();
        settle(text);
    }
    if (text.size() > most_) refuse();
}

void StreamLimit::settle(std::span<const char> text) {
    std::string unpacked;
    const bool is_packed = is_gzip({text.data(), text.size()});
    if (is_packed) {
        unpacked = gunzip_beginning(text);
        if (unpacked.empty()) return;
        text = unpacked;
    }
    if (text.size() >= tar_block && is_tar(text)) {
        is_settled_ = true;
        return;
    }
    const std::string_view beginning(text.data(), text.size());
    refuse_foreign(beginning, name_);
    if (wanted_ == Wanted::vectors && is_number_table(beginning, false)) {
        is_settled_ = true;
        return;
    }
    const std::optional<TextKind> kind = kind_of(beginning, false);
    if (!kind) return;
    if (!is_packed) most_ = longest_header;
    if (*kind == TextKind::matrix_market) {
        const auto parsed = parse_header(beginning, false, name_);
        if (!parsed) return;
        most_ = longest_text(parsed->header.n_entries);
    } else if (*kind == TextKind::harwell_boeing) {
        const auto header = parse_harwell_boeing_header(beginning, false, name_);
        if (!header) return;
        most_ = longest_text(header->n_cards);
    } else {
        most_ = std::numeric_limits<std::size_t>::max();
    }
    is_settled_ = true;
}

void StreamLimit::refuse() const {
    throw ParseError(name_, 0, 0,
                     fmt::format("goes on beyond {} bytes, far more than {}; a plain file is read whatever its length",
                                 most_, is_settled_ ? "the entries that it announces can need" : "a header has"));
}

std::size_t room_for_text(std::size_t wanted, std::size_t present, const std::string& name) {
    const std::size_t room = (present + static_cast<std::size_t>(available_memory())) / 2;
    if (room <= present) {
        throw OutOfMemory(fmt::format("the text of {}", name), static_cast<std::int64_t>(wanted),
                          static_cast<std::int64_t>(room));
    }
    return std::min(wanted, room);
}

Mapping read_stream(const InputFile& file, Wanted wanted) {
    Mapping memory = Mapping::zeros(std::size_t{1} << 20);
    StreamLimit limit(file.name(), wanted);
    std::size_t size = 0;
    while (const std::size_t n = file.read_next(memory.bytes().subspan(size))) {
        size += n;
        limit.look(memory.bytes().first(size));
        if (size == memory.size()) memory.resize(room_for_text(2 * size, size, file.name()));
    }
    memory.resize(size);
    return memory;
}

}  // namespace stiefel
