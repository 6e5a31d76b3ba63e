#pragma once

#include "stiefel/io/input_file.hpp"
#include "stiefel/io/mapping.hpp"
#include "stiefel/io/wanted.hpp"

#include <optional>
#include <span>
#include <string>

namespace stiefel {

/// The text of an input, whatever it came from: a file, standard input, a gzip file, a member of a tar archive, bytes
/// in memory. What it is is told from its first bytes, not from its name. A plain file stays on the disk, and is read
/// piece by piece; everything else is in memory.
class InputText {
public:
    /// `path` "-" is standard input. member_suffix says which file of a tar archive is wanted: `NAME/NAME<suffix>.mtx`;
    /// with an empty suffix, an archive's only .mtx file will also do.
    /// Throws FileError where the file cannot be read; ParseError for a directory, a damaged archive, an archive
    /// without that file, formats that are not read (refuse_foreign), and a stream or gzip file that goes on far beyond
    /// what its header can need (StreamLimit).
    static InputText open(const std::string& path, const std::string& member_suffix, Wanted wanted = Wanted::matrix);

    /// The same for bytes that are in memory and stay there; `name` is used in messages.
    static InputText from_memory(std::span<const char> bytes, const std::string& name, const std::string& member_suffix,
                                 Wanted wanted = Wanted::matrix);

    /// For messages: the path, with the member in parentheses if it came from an archive.
    const std::string& name() const { return name_; }
    std::size_t size() const { return size_; }

    /// Copies the bytes from `offset` on; all must lie below size(). Threads may call it at once. Throws FileError.
    void copy(std::size_t offset, std::span<char> to) const;

    /// The first n bytes, or all if there are fewer.
    std::string beginning(std::size_t n) const;

    /// All of the text in memory, where it is brought by so many threads if it is not there. Throws FileError,
    /// OutOfMemory.
    std::span<const char> load(int threads);

private:
    explicit InputText(std::string name) : name_(std::move(name)) {}
    void hold(Mapping memory);
    void unpack(const std::string& member_suffix, Wanted wanted);

    std::string name_;
    std::optional<InputFile> file_;  // while the text lies there
    std::size_t begin_ = 0;          // and where in it
    Mapping memory_;
    std::span<const char> text_;  // in memory_, or the caller's
    std::size_t size_ = 0;
};

}  // namespace stiefel
