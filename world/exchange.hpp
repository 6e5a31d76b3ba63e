#pragma once

#include "stiefel/core/memory.hpp"
#include "stiefel/world/ranks.hpp"

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stiefel {

// Messages of the set-up, made of Ranks::all_to_all. All ranks call each of these at once.

template <class T>
Ranks::Bytes bytes_of(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
}

/// Appends what bytes_of() has made bytes of.
template <class T>
void append_values(const Ranks::Bytes& bytes, std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t before = values.size(), n = bytes.size() / sizeof(T);
    values.resize(before + n);
    if (n > 0) std::memcpy(values.data() + before, bytes.data(), n * sizeof(T));
}

/// What each rank says, told to all.
inline std::vector<Ranks::Bytes> told_to_all(Ranks& ranks, const Ranks::Bytes& said) {
    return ranks.all_to_all(std::vector<Ranks::Bytes>(static_cast<std::size_t>(ranks.size()), said));
}
template <class T>
std::vector<T> told_to_all(Ranks& ranks, const T& said) {
    std::vector<T> all;
    for (const Ranks::Bytes& bytes : told_to_all(ranks, bytes_of(std::span(&said, 1)))) append_values(bytes, all);
    return all;
}

/// The text of each rank, told to all.
inline std::vector<std::string> texts_told_to_all(Ranks& ranks, const std::string& said) {
    std::vector<std::string> texts;
    for (const Ranks::Bytes& bytes : told_to_all(ranks, bytes_of(std::span<const char>(said)))) {
        std::vector<char> text;
        append_values(bytes, text);
        texts.emplace_back(text.begin(), text.end());
    }
    return texts;
}

/// What each rank says, told to the first; the others are told nothing.
inline std::vector<Ranks::Bytes> told_to_first(Ranks& ranks, Ranks::Bytes said) {
    std::vector<Ranks::Bytes> out(static_cast<std::size_t>(ranks.size()));
    out.front() = std::move(said);
    return ranks.all_to_all(out);
}

/// What the first rank has for each; what the others give is not looked at.
inline Ranks::Bytes told_by_first(Ranks& ranks, std::vector<Ranks::Bytes> for_each) {
    for_each.resize(static_cast<std::size_t>(ranks.size()));
    if (ranks.rank() != 0)
        for (Ranks::Bytes& bytes : for_each) bytes.clear();
    return std::move(ranks.all_to_all(for_each).front());
}
/// What the first rank says to all.
template <class T>
T told_by_first(Ranks& ranks, const T& said) {
    const std::vector<Ranks::Bytes> copies(static_cast<std::size_t>(ranks.size()), bytes_of(std::span(&said, 1)));
    std::vector<T> one;
    append_values(told_by_first(ranks, copies), one);
    return one.front();
}

}  // namespace stiefel
