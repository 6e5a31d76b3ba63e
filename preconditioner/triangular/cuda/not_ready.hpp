#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace stiefel::triangular {

/// A number's bits.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// What a place holds that is not computed yet: a NaN that is never stored as a result.
template <class T>
inline constexpr BitsOf<T> not_ready = ~BitsOf<T>{0};
template <class T>
inline constexpr T not_ready_value = std::bit_cast<T>(not_ready<T>);

}  // namespace stiefel::triangular
