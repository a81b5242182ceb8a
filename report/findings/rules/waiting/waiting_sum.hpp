// What a thread waited at its own lines, of one kind.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/waiting/waiting_kinds.hpp"
#include "report/findings/thread_time.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings::waiting {

struct Sum {
  explicit Sum(const Evidence& evidence) : lines(evidence) {}
  std::int64_t ns = 0, calls = 0;
  std::int64_t polled_ns = 0;    // of ns
  std::int64_t gathered_ns = 0;  // of ns: in tasks that were gathered
  std::int64_t peers_ns = 0;     // of ns: may have been for peers
  TimeByPlace lines;
  std::map<std::string, std::int64_t> tasks{};  // of ns, by the name of the task that blocked the loop
  // Of these, calls that make a turn of the loop a long one, and all lines.
  std::int64_t long_calls = 0;
  std::set<std::uint32_t> locations{};

  // The task that blocked it longest; the end of `tasks` where none is known.
  std::map<std::string, std::int64_t>::const_iterator most() const;
};

// Kinds that are about an event loop: what holds it up, and what it waits for.
inline bool blocks_loop(const Kind& kind) { return &kind == &kLoop || &kind == &kHub; }
inline bool is_of_loop(const Kind& kind) { return &kind == &kAwaits || &kind == &kAsyncSleep; }
inline bool sleeps(const Kind& kind) { return &kind == &kSleep || &kind == &kAsyncSleep; }

// Of that thread, with what it computed in such calls and waited for a processor meanwhile.
Sum sum_of(const Evidence& evidence, const Kind& kind, const ThreadOf& thread, symbols::SourceFiles& files);

}  // namespace prof::findings::waiting
