#pragma once

#include <string>
#include <string_view>

namespace stiefel {

/// Throws ParseError where the first bytes of an input say that it is of a format that is not read: what it is, and how
/// to come from there to one that is. 512 bytes are enough to know.
void refuse_foreign(std::string_view beginning, const std::string& name);

/// The same for text that is no format at all that is read, where it has the look of one: comma-separated values. For
/// use when everything else has been ruled out.
void refuse_separated_values(std::string_view beginning, const std::string& name);

}  // namespace stiefel
