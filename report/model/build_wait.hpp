// What a log says of waiting: blocking calls, files, locks, and the system's own figures of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "report/model/build_tree.hpp"
#include "report/model/process.hpp"
#include "report/model/side_nodes.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

// The rows of blocking calls, files and locks. `node_of` leads from the writer's node ids to those of the tree; records
// of nodes that cannot have them are counted in `damage`.
void add_wait_rows(const read::RawLog& log, const SideNodes& side,
                   const std::function<std::uint32_t(std::uint32_t)>& node_of, Damage& damage, Tree& tree);

// What only names tell, after the tree and the names were built: rows that are of something else are dropped and
// counted in the damage, and the CPU time inside of blocking calls is told. Functions of which a thread made three
// calls or less get the distribution that the log leaves out.
void settle_waits(Process& process);

// What the system says of the threads, after they and the tree were built. Of a process that did not note its end they
// are signs of life.
void add_thread_use(const std::vector<read::RawThreadUse>& raw, const Ids& ids, Process& process);

// Calls that were not over, counted as one more each, from their begin to the end of their thread; where nobody has
// seen their stack, or it is of a worker that waits for work, directly below the root of the tree. After
// settle_endings().
void count_open_calls(std::vector<Process>& processes);

// One log::InfoKey::Mounts text; appended. Lines without a path and a type are skipped.
void read_mounts(std::string_view text, std::vector<Mount>& mounts);

}  // namespace prof::model
