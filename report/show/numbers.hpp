// How numbers read in tables and sentences.
#pragma once

#include <cstdint>
#include <string>

#include "report/model/text.hpp"

namespace prof::show {

// One unit for a whole column, so that its figures can be compared at a glance.
struct Unit {
  const char* name;  // "ms", "MiB"
  double size;       // in ns or bytes
  int decimals;
};

// The unit in which `largest` (ns) reads well: s, ms or us.
Unit time_unit(double largest_ns);

// The unit in which `largest` (bytes) reads well: B, KiB, MiB, GiB or TiB.
Unit byte_unit(double largest_bytes);

// The units in which operations, and bytes in a second, read well: by powers of 1000, as devices are described.
Unit flop_unit(double largest);
Unit flop_rate_unit(double largest);
Unit byte_rate_unit(double largest);

// `value` in `unit`, without the unit's name. What is not 0 never shows as 0: it shows as "<0.001" and the like.
std::string in_unit(double value, const Unit& unit);

// For sentences, with the unit: "1.23 s", "45.6 ms", "2 min 5 s", "1.50 GiB".
std::string duration(double ns);
std::string bytes(double count);

// 1234567 -> "1,234,567".
std::string grouped(std::int64_t count);

// Share of `whole` in percent, "12.3"; "<0.1" where it is not 0; "-" where `whole` is 0.
std::string percent(double part, double whole);

// "1 process", "3 processes".
std::string counted(std::int64_t count, const char* one, const char* many);

// Wall-clock time in the reader's time zone: "2024-05-06 07:08:09". `realtime_ns` since 1970.
std::string local_time(std::uint64_t realtime_ns);

}  // namespace prof::show
