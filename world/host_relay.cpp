#include "stiefel/world/host_relay.hpp"

#include <sched.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

namespace stiefel {

namespace {

using Word = std::uint64_t;

/// What a GPU has written there, and all that it wrote before; what this host writes there, after all before.
Word word_at(std::byte* place) {
    return std::atomic_ref(*reinterpret_cast<Word*>(place)).load(std::memory_order_acquire);
}
void put_word(std::byte* place, Word word) {
    std::atomic_ref(*reinterpret_cast<Word*>(place)).store(word, std::memory_order_release);
}

unsigned seal_of(Word word) {
    return static_cast<unsigned>(word >> 32);
}

/// A launcher may have bound all of the process to one processor, where this thread and the one that starts kernels
/// would take turns.
void leave_a_single_processor() {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 || CPU_COUNT(&processors) > 1) return;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) CPU_SET(processor, &processors);
    static_cast<void>(sched_setaffinity(0, sizeof processors, &processors));  // the system leaves out what is not ours
}

/// Lets others have the processor where nothing comes for long.
class Patience {
public:
    void after(bool found) {
        if (found) {
            n_in_vain_ = 0;
        } else if (++n_in_vain_ > to_nap) {
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        } else if (n_in_vain_ > to_yield) {
            std::this_thread::yield();
        }
    }

private:
    static constexpr int to_yield = 1000, to_nap = 100000;
    int n_in_vain_ = 0;
};

}  // namespace

/// Between this rank and another.
class HostRelay::Way {
public:
    Way(int rank, int tag, unsigned last) : rank_(rank), tag_(tag), sent_(last) {}
    virtual ~Way() = default;

    /// Begins to receive the first.
    virtual void open(HostRelay& relay) = 0;
    /// Sends what is there to be sent, and hands over what may be; whether there was any.
    virtual bool look(HostRelay& relay) = 0;
    /// Of what this way has begun.
    virtual void ended(HostRelay& relay, const Mail::Ended& what) = 0;

protected:
    std::size_t send(HostRelay& relay, const std::byte* data, Size bytes) {
        return begun(relay, relay.mail_->send(rank_, tag_, data, bytes));
    }
    std::size_t receive(HostRelay& relay, std::byte* data, Size room) {
        return begun(relay, relay.mail_->receive(rank_, tag_, data, room));
    }

    int rank_, tag_;
    unsigned sent_;  ///< the last round of which anything was sent

private:
    std::size_t begun(HostRelay& relay, std::size_t number) {
        if (relay.way_of_.size() <= number) relay.way_of_.resize(number + 1);
        relay.way_of_[number] = this;
        return number;
    }
};

/// Letters go as soon as they are seen, so those of a round may go in several messages: nobody says how many there are.
/// They are copied, word by word, as a GPU may look at each meanwhile.
class HostRelay::LetterWay : public Way {
public:
    LetterWay(int rank, int tag, LetterBox out, LetterBox in)
        : Way(rank, tag, 0), out_(out), in_(in), leaving_(words_of(out)), coming_(words_of(in)), next_(out.room) {}

    void open(HostRelay& relay) override { coming_number_ = receive_more(relay); }

    bool look(HostRelay& relay) override {
        if (is_leaving_) return false;  // the copies are still being read
        Size n = 0;
        if (!is_here(sent_, next_)) {
            if (!is_here(sent_ + 1, 0)) return false;
            ++sent_;
            next_ = 0;
        }
        for (; is_here(sent_, next_); ++next_, ++n) {
            std::byte* const letter = place(out_, sent_, next_);
            leaving_[static_cast<std::size_t>(2 * n)] = word_at(letter);
            leaving_[static_cast<std::size_t>(2 * n + 1)] = word_at(letter + sizeof(Word));
        }
        is_leaving_ = true;
        send(relay, reinterpret_cast<const std::byte*>(leaving_.data()), n * letter_bytes);
        return true;
    }

    void ended(HostRelay& relay, const Mail::Ended& what) override {
        if (what.number != coming_number_) {
            is_leaving_ = false;
            return;
        }
        for (Size i = 0; i < what.bytes / letter_bytes; ++i) {
            const Word low = coming_[static_cast<std::size_t>(2 * i)],
                       high = coming_[static_cast<std::size_t>(2 * i + 1)];
            if (seal_of(low) != came_) {
                came_ = seal_of(low);
                next_to_come_ = 0;
            }
            std::byte* const letter = place(in_, came_, next_to_come_++);
            put_word(letter, low);
            put_word(letter + sizeof(Word), high);
        }
        coming_number_ = receive_more(relay);
    }

private:
    static constexpr Size letter_bytes = 2 * sizeof(Word);

    static std::vector<Word> words_of(const LetterBox& box) {
        return std::vector<Word>(static_cast<std::size_t>(2 * box.room));
    }
    static std::byte* place(const LetterBox& box, unsigned round, Size i) {
        return box.letters + (round % 2 * box.room + i) * letter_bytes;
    }
    bool is_here(unsigned round, Size i) const {
        if (i == out_.room) return false;
        std::byte* const letter = place(out_, round, i);
        return seal_of(word_at(letter)) == round && seal_of(word_at(letter + sizeof(Word))) == round;
    }
    std::size_t receive_more(HostRelay& relay) {
        return receive(relay, reinterpret_cast<std::byte*>(coming_.data()), in_.room * letter_bytes);
    }

    LetterBox out_, in_;
    std::vector<Word> leaving_, coming_;
    bool is_leaving_ = false;
    std::size_t coming_number_ = 0;
    Size next_;          ///< letter of the round sent_
    unsigned came_ = 0;  ///< the round of the letters that came last
    Size next_to_come_ = 0;
};

/// Mail takes parcels from where the GPU has packed them, and puts them where the other looks. It may do so with that
/// of the next round once the GPU has packed its own of this one: it has read the one before by then.
class HostRelay::ParcelWay : public Way {
public:
    ParcelWay(int rank, int tag, ParcelBox out, ParcelBox in, unsigned last)
        : Way(rank, tag, last), out_(out), in_(in) {}

    void open(HostRelay& relay) override { await(relay, sent_ + 1); }

    bool look(HostRelay& relay) override {
        bool found = false;
        const unsigned next = sent_ + 1;
        std::byte* const parcel = place(out_, next);
        if (const Word head = word_at(parcel); seal_of(head) == next) {
            const Size bytes = static_cast<Size>(head & 0xffffffffu) * 8;
            of(next).leaving = send(relay, parcel + ParcelBox::head_bytes, bytes);
            of(next).is_leaving = true;
            sent_ = next;
            await(relay, next + 1);
            found = true;
        }
        for (Round& round : rounds_) {
            // The GPU may pack anew, once it has this one, what mail reads of the round before.
            if (round.bytes < 0 || of(round.number + 1).is_leaving) continue;
            put_word(place(in_, round.number), Word{round.number} << 32 | static_cast<Word>(round.bytes / 8));
            round.bytes = -1;
            found = true;
        }
        return found;
    }

    void ended(HostRelay&, const Mail::Ended& what) override {
        for (Round& round : rounds_) {
            if (round.is_leaving && round.leaving == what.number) {
                round.is_leaving = false;
                return;
            }
            if (round.is_coming && round.coming == what.number) {
                round.is_coming = false;
                round.bytes = what.bytes;
                return;
            }
        }
    }

private:
    /// What is on its way of an odd round, or an even one.
    struct Round {
        unsigned number = 0;  ///< of what comes
        std::size_t leaving = 0, coming = 0;
        bool is_leaving = false, is_coming = false;
        Size bytes = -1;  ///< that have come and wait to be handed over
    };

    Round& of(unsigned round) { return rounds_[round % 2]; }

    static std::byte* place(const ParcelBox& box, unsigned round) { return box.parcels + round % 2 * box.parcel_bytes; }

    void await(HostRelay& relay, unsigned number) {
        Round& round = of(number);
        round.number = number;
        round.is_coming = true;
        round.coming =
            receive(relay, place(in_, number) + ParcelBox::head_bytes, in_.parcel_bytes - ParcelBox::head_bytes);
    }

    ParcelBox out_, in_;
    std::array<Round, 2> rounds_;
};

HostRelay::HostRelay(std::unique_ptr<Mail> mail) : mail_(std::move(mail)), thread_([this] { run(); }) {}

HostRelay::~HostRelay() {
    is_over_ = true;
    thread_.join();
}

void HostRelay::carry(int rank, int tag, LetterBox out, LetterBox in) {
    add(std::make_unique<LetterWay>(rank, tag, out, in));
}

void HostRelay::carry(int rank, int tag, ParcelBox out, ParcelBox in, unsigned last) {
    add(std::make_unique<ParcelWay>(rank, tag, out, in, last));
}

void HostRelay::add(std::unique_ptr<Way> way) {
    const std::scoped_lock lock(mutex_);
    new_ways_.push_back(std::move(way));
    has_new_ways_ = true;
}

/// What throws here ends the process, and so all ranks: nobody waits for what would never come.
void HostRelay::run() {
    leave_a_single_processor();
    for (Patience patience; !is_over_;) patience.after(look());
}

bool HostRelay::look() {
    if (has_new_ways_) {
        const std::scoped_lock lock(mutex_);
        for (auto& way : new_ways_) ways_.emplace_back(std::move(way))->open(*this);
        new_ways_.clear();
        has_new_ways_ = false;
    }
    bool found = false;
    for (const auto& way : ways_) found |= way->look(*this);
    for (const Mail::Ended& what : mail_->ended()) {
        way_of_[what.number]->ended(*this, what);
        found = true;
    }
    return found;
}

}  // namespace stiefel
