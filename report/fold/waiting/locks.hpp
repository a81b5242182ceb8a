// Locks by address: who waited for them, how long, and who held them meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/fold/line_tree.hpp"
#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

const char* to_string(log::LockKind kind);  // "mutex", "rwlock", "spin lock", "condition", "semaphore", "barrier"

// A lock, or all those of one process that one place made.
struct LockRow {
  log::LockKind kind = log::LockKind::Mutex;
  std::string name;           // see symbols::Symbols::data_name()
  bool variable = false;      // it lies in a module: the same one in all processes
  std::size_t locks = 0;      // of one process; more than 1: `name` is that of the one with the longest wait
  std::size_t processes = 0;  // with the same variable
  model::LockMetric use;      // nodes and threads in it are those of `process`
  std::size_t process = 0;    // where the longest wait was: index into Run::processes
  // Where it was made, where the longest wait was, and where its holder was seen last when that ended: location ids;
  // kNobody: not known.
  std::uint32_t created = kNobody, waiter = kNobody, holder = kNobody;
};
// By time waited. The same variable of several processes is one row; others are told
// by process and, where that was seen, by the place that made them.
std::vector<LockRow> locks(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection);

// A place that waited for locks, conditions, semaphores or other threads.
struct LockPlace {
  std::uint32_t location = kNobody;
  model::WaitMetric waits;
};
std::vector<LockPlace> lock_places(const model::Run& run, const symbols::Symbols& symbols,
                                   const Selection& selection);  // by time

// Acquisitions that had not to wait: exact.
std::int64_t uncontended(const model::Run& run, const Selection& selection);

}  // namespace prof::fold
