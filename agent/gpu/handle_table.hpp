// What is known of a library's handles: descriptors, plans. Handles come back after they were given up, so that what is
// entered anew replaces what stood there. Ordinary code. Lives in pages::Wiped.
//
// What a library's call needs of a handle is read without a lock: it is copied, and what was changed meanwhile is
// copied again. Changes, which come with what makes and describes a handle, have one; where it is not to be had at once
// there is no change, and calls with the handle are recorded without their work.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"

namespace prof::gpu {

// Value: plain data. kSlots: a power of two; three quarters as many handles are known at most. Memory follows their
// number: they stand one after the other, and the slots hold their places.
template <class Value, std::uint32_t kSlots>
class HandleTable {
 public:
  static constexpr std::uint32_t kMost = kSlots / 4 * 3;

  // Handle 0 is none. False: there is no room.
  bool enter(std::uint64_t handle, const Value& value) {
    // Memory first: none is asked for under the lock.
    Memory* memory = memory_.load(std::memory_order_acquire);
    if (handle == 0 || (memory == nullptr && (memory = make_memory()) == nullptr)) return false;
    const Change change(*this);
    if (!change) return false;
    std::uint32_t& slot = memory->slots[slot_of(*memory, handle)];
    if (slot == 0) {
      if (count_ >= kMost) return false;
      slot = ++count_;
    }
    memory->entries[slot - 1] = {handle, value};
    return true;
  }

  // What is known of the handle. False: nothing.
  bool read(std::uint64_t handle, Value& value) const {
    const Memory* memory = memory_.load(std::memory_order_acquire);
    if (handle == 0 || memory == nullptr) return false;
    for (unsigned i = 0; i < kTries + kTurns; ++i) {
      const std::uint32_t version = version_.load(std::memory_order_acquire);
      if (version % 2 == 0) {
        Entry copy;
        const bool found = copy_of(*memory, handle, copy);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (version_.load(std::memory_order_relaxed) == version) {
          if (found) value = copy.value;
          return found;
        }
      }
      // Who was changing something may have been preempted in the midst of it.
      if (i >= kTries) raw::call(SYS_sched_yield);
      __builtin_ia32_pause();
    }
    return false;
  }

  // Calls `with` on what is known of the handle, if anything is, to change it. `with` also takes a function that finds
  // other handles' values: null for unknown ones.
  template <class With>
  void change(std::uint64_t handle, With with) {
    Memory* memory = memory_.load(std::memory_order_acquire);
    if (memory == nullptr) return;
    const Change change(*this);
    if (!change) return;
    const auto find = [memory](std::uint64_t h) { return found(*memory, h); };
    if (Value* value = find(handle)) with(*value, find);
  }

  void remove(std::uint64_t handle) {
    Memory* memory = memory_.load(std::memory_order_acquire);
    if (memory == nullptr) return;
    const Change change(*this);
    if (!change || found(*memory, handle) == nullptr) return;
    std::uint32_t* const slots = memory->slots;
    Entry* const entries = memory->entries;
    const std::uint32_t slot = slot_of(*memory, handle);
    const std::uint32_t place = slots[slot];
    // The last one fills the gap.
    if (place != count_) {
      slots[slot_of(*memory, entries[count_ - 1].handle)] = place;
      entries[place - 1] = entries[count_ - 1];
    }
    --count_;
    // The slots that follow move up, unless one would come to stand before its own.
    std::uint32_t hole = slot;
    for (std::uint32_t i = next(hole); slots[i] != 0; i = next(i)) {
      const std::uint32_t home = home_of(entries[slots[i] - 1].handle);
      if (((i - home) & (kSlots - 1)) < ((i - hole) & (kSlots - 1))) continue;
      slots[hole] = slots[i];
      hole = i;
    }
    slots[hole] = 0;
  }

  std::uint32_t count() const { return __atomic_load_n(&count_, __ATOMIC_RELAXED); }

 private:
  static_assert(std::is_trivially_copyable_v<Value>);
  static constexpr unsigned kTries = 100;
  static constexpr unsigned kTurns = 1000;  // a change that is not made is a handle that is not known, for ever

  struct Entry {
    std::uint64_t handle;
    Value value;
  };
  struct Memory {
    std::uint32_t slots[kSlots];  // 0: empty; else a place among the entries, from 1 on
    Entry entries[kMost];
  };

  // While it lasts nobody else changes anything, and nobody takes what he reads for true.
  class Change {
   public:
    explicit Change(HandleTable& table) : table_(table), locked_(table.lock_, kTurns) {
      if (!locked_) return;
      table.version_.fetch_add(1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
    }
    ~Change() {
      if (locked_) table_.version_.fetch_add(1, std::memory_order_release);
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    explicit operator bool() const { return static_cast<bool>(locked_); }

   private:
    HandleTable& table_;
    const HeldLock locked_;
  };

  Memory* make_memory() {
    auto* made = static_cast<Memory*>(pages::map(sizeof(Memory), pages::InChild::Gone));
    Memory* first = nullptr;
    if (made == nullptr || memory_.compare_exchange_strong(first, made)) return made;
    pages::unmap(made, sizeof(Memory));
    return first;
  }
  static std::uint32_t home_of(std::uint64_t handle) {
    return static_cast<std::uint32_t>(handle * 0x9e3779b97f4a7c15ULL >> 32) & (kSlots - 1);
  }
  static std::uint32_t next(std::uint32_t i) { return (i + 1) & (kSlots - 1); }
  // Of the handle, or the empty one where it belongs.
  static std::uint32_t slot_of(const Memory& memory, std::uint64_t handle) {
    std::uint32_t i = home_of(handle);
    while (memory.slots[i] != 0 && memory.entries[memory.slots[i] - 1].handle != handle) i = next(i);
    return i;
  }
  static Value* found(Memory& memory, std::uint64_t handle) {
    if (handle == 0) return nullptr;
    const std::uint32_t place = memory.slots[slot_of(memory, handle)];
    return place != 0 ? &memory.entries[place - 1].value : nullptr;
  }
  // Whatever is being changed meanwhile; the caller finds out.
  static bool copy_of(const Memory& memory, std::uint64_t handle, Entry& copy) {
    for (std::uint32_t i = home_of(handle), n = 0; n < kSlots; i = next(i), ++n) {
      const std::uint32_t place = __atomic_load_n(&memory.slots[i], __ATOMIC_RELAXED);
      if (place == 0) return false;
      const Entry& entry = memory.entries[place - 1];
      if (__atomic_load_n(&entry.handle, __ATOMIC_RELAXED) != handle) continue;
      using Word [[gnu::may_alias]] = std::uint64_t;
      static_assert(sizeof(Entry) % sizeof(Word) == 0);
      for (std::size_t w = 0; w < sizeof(Entry) / sizeof(Word); ++w)
        reinterpret_cast<Word*>(&copy)[w] =
            __atomic_load_n(reinterpret_cast<const Word*>(&entry) + w, __ATOMIC_RELAXED);
      return true;
    }
    return false;
  }

  Lock lock_;
  std::atomic<std::uint32_t> version_{0};  // odd: something is being changed
  std::uint32_t count_ = 0;
  std::atomic<Memory*> memory_{nullptr};
};

}  // namespace prof::gpu
