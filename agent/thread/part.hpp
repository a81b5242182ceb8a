// The part of a thread's state that belongs to one feature, which alone knows what is in it: `as<T>()` in the feature's
// local.hpp. Zeros in a new state.
#pragma once

#include <cstddef>
#include <type_traits>

namespace prof {

template <std::size_t kBytes>
class alignas(8) Part {
 public:
  // Any context.
  template <class T>
  T& as() {
    check<T>();
    return *reinterpret_cast<T*>(room_);
  }
  template <class T>
  const T& as() const {
    check<T>();
    return *reinterpret_cast<const T*>(room_);
  }

 private:
  template <class T>
  static void check() {
    static_assert(sizeof(T) == kBytes && alignof(T) <= 8 && std::is_trivially_copyable_v<T>);
  }
  std::byte room_[kBytes];
};

}  // namespace prof
