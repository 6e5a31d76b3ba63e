#pragma once

#include "stiefel/world/mail.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace stiefel {

/// Memory of a host that its GPU writes numbers to, or reads them from: letters (core/cuda/letter.cuh) of two rounds,
/// one after the other.
struct LetterBox {
    std::byte* letters = nullptr;
    Size room = 0;  ///< letters of a round
};

/// Memory of a host that its GPU writes many numbers to, or reads them from, as they are: parcels of two rounds, one
/// after the other. A parcel begins with a word, the number of its round above that of its numbers, which is written
/// last and read first.
struct ParcelBox {
    static constexpr Size head_bytes = 64;  ///< of which the word takes 8: numbers begin at a line of memory

    std::byte* parcels = nullptr;
    Size parcel_bytes = head_bytes;  ///< of one, with its head

    static constexpr Size bytes_for(Size n_numbers) {
        return head_bytes + (n_numbers * 8 + head_bytes - 1) / head_bytes * head_bytes;
    }
};

/// Carries what the GPU of a rank writes into memory of its host to the GPUs of others that do not reach that memory:
/// a thread looks for it, sends it to their hosts by mail, and puts what comes from there where this GPU looks. Both
/// ends of a way have the same tag, and a rank puts what belongs to round k + 1 there once it has read all of round k.
class HostRelay {
public:
    explicit HostRelay(std::unique_ptr<Mail> mail);

    /// When all ranks have read all that they wait for; after an exception at any time.
    ~HostRelay();
    HostRelay(const HostRelay&) = delete;
    HostRelay& operator=(const HostRelay&) = delete;

    /// Between this rank and another, from now on until the relay ends. Rounds are counted from 1.
    void carry(int rank, int tag, LetterBox out, LetterBox in);
    /// The same from round `last` + 1 on.
    void carry(int rank, int tag, ParcelBox out, ParcelBox in, unsigned last);

private:
    class Way;
    class LetterWay;
    class ParcelWay;

    void add(std::unique_ptr<Way> way);
    void run();
    bool look();

    std::unique_ptr<Mail> mail_;
    std::vector<std::unique_ptr<Way>> ways_;  // of the thread
    std::vector<Way*> way_of_;                // what was begun, by its number

    std::mutex mutex_;
    std::vector<std::unique_ptr<Way>> new_ways_;
    std::atomic<bool> has_new_ways_ = false, is_over_ = false;
    std::thread thread_;
};

}  // namespace stiefel
