// The threads of a profile: samples, allocations, markers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/formats/firefox/shared_tables.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

struct FirefoxSample {
  std::uint32_t stack = 0;
  std::int64_t weight = 0;  // ns, bytes or a count
};

// Bytes of one stack: what it allocated and freed again, and what lives.
struct FirefoxAllocation {
  std::uint32_t stack = 0;
  std::int64_t passing = 0, live = 0;
};

struct FirefoxMarker {
  std::uint32_t name = 0, category = 0;  // a string, a place in the list of categories
  std::int64_t begin_ns = 0, end_ns = 0;
  std::string data;  // JSON
};

struct FirefoxThread {
  std::string name, process_name;  // not yet JSON
  std::string pid, tid;            // tid: JSON
  bool main = false;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t process_begin_ns = 0, process_end_ns = 0;
  std::vector<FirefoxSample> samples;
  std::vector<FirefoxAllocation> allocations;
  std::vector<FirefoxMarker> markers;

  bool empty() const { return samples.empty() && allocations.empty() && markers.empty(); }
  std::int64_t weight() const;
};

// Images of one process have pids of their own.
std::string firefox_pid(const model::Process& process);

// ms, as the format has times.
std::string milliseconds(std::int64_t ns);

// The stacks of a tree with a value of the measure above 0.
void add_samples(FirefoxThread& to, const fold::CallTree& tree, model::Measure measure, FirefoxTables& tables);
void add_allocations(FirefoxThread& to, const fold::CallTree& tree, FirefoxTables& tables);

// The events of a process's trace as markers of its threads, by tid; what devices did in threads that are made for
// their streams. `threads` are those of the process so far.
void add_markers(std::vector<FirefoxThread>& threads, const show::Subject& subject, std::size_t process,
                 FirefoxTables& tables);
// "markerSchema" of the profile.
void write_marker_schema(const Write& write);

void write_thread(const FirefoxThread& thread, model::Measure measure, const Write& write);

}  // namespace prof::formats
