#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Finding digits and adding them up, many at a time and without branches on how many there are: once with the byte
// shuffles and multiply-adds of SSE4.1 and later, once with 64-bit integers. All functions may load bytes behind the
// digits: text must be guarded (decimal.hpp).

namespace stiefel {

/// What 64 bytes are: bit i speaks of text[i].
struct ByteClasses {
    std::uint64_t non_digits;
    std::uint64_t newlines;
    std::uint64_t no_entry;  ///< bytes that no entry starts with: blanks, control characters and '%'
};

inline ByteClasses classify_64(const char* text) {
#if defined(__AVX512BW__)
    const __m512i bytes = _mm512_loadu_si512(text);
    return {
        _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(9)),
        _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n')),
        _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(' ')) | _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('%'))};
#elif defined(__SSE2__)
    ByteClasses classes{};
    for (int i = 0; i < 64; i += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
        const __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        const auto mask = [i](__m128i is) { return static_cast<std::uint64_t>(_mm_movemask_epi8(is)) << i; };
        classes.non_digits |= mask(_mm_cmpeq_epi8(_mm_max_epu8(digits, _mm_set1_epi8(10)), digits));
        classes.newlines |= mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
        classes.no_entry |= mask(_mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes),
                                              _mm_cmpeq_epi8(bytes, _mm_set1_epi8('%'))));
    }
    return classes;
#else
    ByteClasses classes{};
    for (int i = 0; i < 64; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        classes.non_digits |= std::uint64_t{byte < '0' || byte > '9'} << i;
        classes.newlines |= std::uint64_t{byte == '\n'} << i;
        classes.no_entry |= std::uint64_t{byte <= ' ' || byte == '%'} << i;
    }
    return classes;
#endif
}

/// The number that `count` digits at `text` say, 1 <= count <= 8.
inline std::uint64_t number_of(const char* text, int count) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    // Shifted so that the last digit lies in the top byte and zeros lead, then added up in pairs, quads and eights.
    bytes = (bytes ^ 0x3030303030303030u) << (64 - 8 * count);
    bytes = (bytes & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
    bytes = (bytes & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    return (bytes & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
}

struct TwoNumbers {
    std::uint32_t first;
    std::uint32_t second;
};

#if defined(__SSE4_1__)

namespace detail {

/// Two runs of eight digits, first digits lowest in memory, as numbers: added up in pairs, quads and eights.
inline TwoNumbers add_up(__m128i digits) {
    const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
    const __m128i quads = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
    const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(quads, quads), _mm_set1_epi32(0x00012710));
    const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
}

inline __m128i load(const void* bytes) {
    return _mm_loadu_si128(static_cast<const __m128i*>(bytes));
}

using Shuffle = std::array<std::uint8_t, 16>;
inline constexpr std::uint8_t zero = 0x80;

/// [i][j] moves the first i + 1 bytes of the lower half and the first j + 1 of the upper to the ends of their halves.
alignas(64) inline constexpr auto align_halves = [] {
    std::array<std::array<Shuffle, 8>, 8> shuffles{};
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            for (int to = 0; to < 8; ++to) {
                const int low = to - (7 - i), high = to - (7 - j);
                Shuffle& shuffle = shuffles[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
                shuffle[static_cast<std::size_t>(to)] = low < 0 ? zero : static_cast<std::uint8_t>(low);
                shuffle[static_cast<std::size_t>(to + 8)] = high < 0 ? zero : static_cast<std::uint8_t>(8 + high);
            }
        }
    }
    return shuffles;
}();

/// 16 bytes from the n-th move the first n bytes to the end.
alignas(64) inline constexpr std::array<std::uint8_t, 32> align_sixteen = [] {
    std::array<std::uint8_t, 32> shuffle{};
    for (std::size_t i = 0; i < 32; ++i) shuffle[i] = i < 16 ? zero : static_cast<std::uint8_t>(i - 16);
    return shuffle;
}();

/// 16 bytes from the (16 - n)-th have ones in the first n.
alignas(64) inline constexpr std::array<std::uint8_t, 32> leading_ones = [] {
    std::array<std::uint8_t, 32> ones{};
    for (std::size_t i = 0; i < 16; ++i) ones[i] = 0xff;
    return ones;
}();

}  // namespace detail

/// The numbers that n_a digits at a and n_b digits at b say, 1 <= n_a, n_b <= 8.
inline TwoNumbers two_numbers(const char* a, int n_a, const char* b, int n_b) {
    const __m128i text = _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(a)),
                                            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(b)));
    const detail::Shuffle& align =
        detail::align_halves[static_cast<std::size_t>(n_a - 1)][static_cast<std::size_t>(n_b - 1)];
    return detail::add_up(_mm_shuffle_epi8(_mm_sub_epi8(text, _mm_set1_epi8('0')), detail::load(align.data())));
}

/// The number that n_integer digits at text and, one byte behind them, n_decimals further digits say together:
/// 1 <= n_integer <= 8, 0 <= n_decimals, no more than 19 in all.
inline std::uint64_t joined_number(const char* text, int n_integer, int n_decimals) {
    const __m128i is_integer = detail::load(detail::leading_ones.data() + 16 - n_integer);
    const __m128i joined = _mm_blendv_epi8(detail::load(text + 1), detail::load(text), is_integer);
    const int count = n_integer + n_decimals;
    const __m128i align = detail::load(detail::align_sixteen.data() + std::min(count, 16));
    const TwoNumbers halves = detail::add_up(_mm_shuffle_epi8(_mm_sub_epi8(joined, _mm_set1_epi8('0')), align));
    const std::uint64_t number = halves.first * std::uint64_t{100'000'000} + halves.second;
    if (count <= 16) [[likely]]
        return number;
    constexpr std::uint64_t power[] = {1, 10, 100, 1000};
    return number * power[count - 16] + number_of(text + 17, count - 16);
}

#else

inline TwoNumbers two_numbers(const char* a, int n_a, const char* b, int n_b) {
    return {static_cast<std::uint32_t>(number_of(a, n_a)), static_cast<std::uint32_t>(number_of(b, n_b))};
}

inline std::uint64_t joined_number(const char* text, int n_integer, int n_decimals) {
    constexpr std::uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    std::uint64_t number = number_of(text, n_integer);
    for (text += n_integer + 1; n_decimals > 0; text += 8, n_decimals -= 8) {
        const int count = std::min(n_decimals, 8);
        number = number * power[count] + number_of(text, count);
    }
    return number;
}

#endif

}  // namespace stiefel
