// The options of `prof run` and the PROF_... variables of the agent that they set: one table, from which the help, the
// checks and the environment are made.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prof::cli {

struct Setting {
  const char* option;    // "--cpu"; with a short form: "-o,--out"
  const char* variable;  // "PROF_CPU"
  const char* value;     // what the help calls the value: "HZ|off"; empty: a flag, which sets the variable to "on"
  const char* help;      // what it does and what it is without the option
  const char* allowed;   // the values that may be given, for messages
  bool (*valid)(std::string_view value);
};

std::span<const Setting> settings();

// Throws UsageError when `value` is none that the setting takes.
void check(const Setting& setting, std::string_view value);

}  // namespace prof::cli
