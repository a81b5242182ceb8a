// Who a process talks to over the network.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/findings/evidence.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Whether the process takes connections of others, whose requests it waits for.
bool accepts_connections(const Evidence& evidence, std::size_t process);

// The calls that took connections, all of one address; 0: of several, or none.
std::int64_t taken_connections(const model::Process& process);

// Whether a thread serves others: it reads from sockets that were accepted, and more often than from others.
bool serves(const model::Process& process, std::uint32_t slot);

// Whether the process asks others: it connects to them, or sends by a socket that somebody else connected for it. Who
// accepts connections, or sends datagrams to whoever wrote to it, answers; who does nothing of this receives what
// comes, and nothing comes sooner.
bool asks_peers(const Evidence& evidence, std::size_t process);

// Peers of a thread that are in the run, as their sockets' names tell: other threads of its process, or processes at
// the other end of a local connection. What they compute to answer is to be done in any case, so that nobody can save
// the time in which it is waited for.
struct PeersInRun {
  std::int64_t work_ns = 0;       // of them all: CPU time, and the waiting for a processor; without imports
  std::int64_t elsewhere_ns = 0;  // of that, in other processes
  std::int64_t talk_ns = 0;       // the process's, in calls on its ends of these connections
};
PeersInRun peers_in_run(const Evidence& evidence, const ThreadOf& thread);

// What a process asked others, its own servers included: answers that came, the time until then, and the wall time in
// which its threads awaited any of one peer.
struct Asked {
  std::int64_t answers = 0, answer_ns = 0, awaited_ns = 0;
  // Answers that were awaited at once of one peer, while any was; 0: none was.
  double at_once() const {
    return awaited_ns > 0 ? static_cast<double>(answer_ns) / static_cast<double>(awaited_ns) : 0;
  }
};
Asked asked_of(const Evidence& evidence, std::size_t process);

// How often the process sent by sockets that it accepted, where nearly all of that went to itself: its servers answer
// nobody else. 0: others, or nobody.
std::int64_t answers_to_itself(const Evidence& evidence, std::size_t process);

// How often the process sent by sockets that it connected to others, and by those that others connected to it: exact.
struct Messages {
  std::int64_t questions = 0, answers = 0;
  // Answers that came, and the wall time in which its threads awaited them: of each peer for itself.
  std::int64_t answered = 0, awaited_ns = 0;
  std::int64_t asked_ns = 0;       // in which it had a request to answer
  std::int64_t asked_each_ns = 0;  // that of each request, added up
};
// Where its servers answer nobody but itself (answers_to_itself), `answers` are those of the one that took longest to
// answer in all, or that answered least where that is not known,
// which the others are asked for (those that are hardly ever asked left out), and what that one was asked, or is
// awaited for, is no part of the rest.
Messages messages_of(const Evidence& evidence, std::size_t process);

}  // namespace prof::findings
