#pragma once

#include "stiefel/io/mapping.hpp"

#include <span>
#include <string>

namespace stiefel {

/// The text of an input, in memory, whatever it came from: a mapped file, standard input, a gzip file, a member of a
/// tar archive. What it is is told from its first bytes, not from its name.
class InputText {
public:
    /// `path` "-" is standard input. member_suffix says which file of a tar archive is wanted: NAME/NAME<suffix>.mtx;
    /// with an empty suffix, an archive's only .mtx file will also do.
    /// Throws FileError where the file cannot be read; ParseError for a directory, a damaged archive, an archive
    /// without that file, and for compression other than gzip.
    static InputText open(const std::string& path, const std::string& member_suffix);

    /// The same for bytes that are in memory and stay there; `name` is used in messages.
    static InputText from_memory(std::span<const char> bytes, const std::string& name,
                                 const std::string& member_suffix);

    /// For messages: the path, with the member in parentheses if it came from an archive.
    const std::string& name() const { return name_; }
    std::span<const char> text() const { return text_; }

    /// Says that a part of the text has been read: the memory of a mapped file is given back (and comes back from the
    /// file if it is read again after all).
    void release(std::span<const char> part) const noexcept;

private:
    InputText(std::string name, std::span<const char> bytes) : name_(std::move(name)), text_(bytes) {}
    void unpack(const std::string& member_suffix);

    std::string name_;
    Mapping memory_;
    std::span<const char> text_;
};

}  // namespace stiefel
