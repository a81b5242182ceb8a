// Which call made the device do it: calls by the correlation number that CUPTI gives them and what they start. Of the
// consumer alone. A call is forgotten when a quarter of a million others have come after it.
#pragma once

#include <cstdint>

namespace prof::gpu::cupti {

struct Launch {
  std::uint32_t correlation;
  std::uint32_t node;    // of the tree; 0: the call was not seen by us
  std::uint64_t start;   // of the call; 0: its record has not come
  std::uint32_t thread;  // index in HostTime, valid with `start`
  std::uint32_t op;      // node of the operator that it was made in; 0: none
};

class Launches {
 public:
  // False: there is no memory for the table; then nothing is ever found.
  bool begin();
  void note_node(std::uint32_t correlation, std::uint32_t node, std::uint32_t op);
  void note_call(std::uint32_t correlation, std::uint64_t start, std::uint32_t thread);
  // Null: nothing is known of it.
  const Launch* find(std::uint32_t correlation) const;

 private:
  static constexpr std::uint32_t kRoom = 1U << 18;
  Launch* entry(std::uint32_t correlation);
  Launch* entries_;
};

}  // namespace prof::gpu::cupti
