// What events, counters and samples of a process lie on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/formats/perfetto/sequence.hpp"
#include "report/show/view.hpp"

namespace prof::formats::perfetto {

// The tracks of one process: each is described when it is first asked for.
class Tracks {
 public:
  // `order` tells processes apart.
  Tracks(Sequence& sequence, const show::Subject& subject, const model::Process& process, std::size_t order);

  std::uint64_t thread(std::uint32_t tid);
  std::uint64_t stream(std::uint32_t device, std::uint32_t stream);
  // Ranges that may overlap: the track of lane `lane`.
  std::uint64_t ranges(std::size_t lane);
  std::uint64_t counter(const std::string& name);

  // From the start of the run to a moment of the process: what packets have as times.
  std::uint64_t time(std::uint64_t monotonic_ns) const;
  // The same as heap profiles have it: the monotonic clock of the first process.
  std::uint64_t monotonic(std::uint64_t time) const { return subject_.run.processes.front().start_monotonic_ns + time; }

 private:
  std::uint64_t child(const std::string& name, std::uint64_t parent);
  std::uint64_t next() { return first_ + ++used_; }

  Sequence& sequence_;
  const show::Subject& subject_;
  const model::Process& process_;
  std::uint64_t first_;  // the process's own
  std::uint64_t used_ = 0;
  std::map<std::uint32_t, std::uint64_t> threads_;
  std::map<std::uint32_t, std::uint64_t> devices_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> streams_;
  std::vector<std::uint64_t> lanes_;
  std::map<std::string, std::uint64_t> counters_;
};

}  // namespace prof::formats::perfetto
