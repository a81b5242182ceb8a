// Waits for sockets and events, compared with a program's own account of them.
#include <cerrno>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/wait_totals.hpp"

using namespace prof;
using namespace prof::test;

namespace {

struct Waited {
  Outcome run;
  WaitTotals totals;
  std::map<std::string, log::FileWords> files;

  // Calls in a class, by "class/function".
  std::uint64_t calls(const std::string& name) const {
    const auto found = totals.find(name);
    return found == totals.end() ? 0 : found->second.calls;
  }
  double ms(const std::string& name) const {
    const auto found = totals.find(name);
    return found == totals.end() ? 0 : static_cast<double>(found->second.total_ns) * 1e-6;
  }
  const log::FileWords& file(const std::string& name) const {
    INFO("file " << name);
    REQUIRE(files.count(name) == 1);
    return files.at(name);
  }
};

// The victim alone, and under the agent with its account checked.
Waited network_waits(const std::string& way) {
  const Command command = Command::victim("wait_network", {way});
  const Outcome alone = command.run();
  INFO(alone);
  REQUIRE(alone.ok());
  TempDir temp;
  Waited w{check_survives(command, temp / "run"), {}, {}};
  const auto log = log_of(temp / "run", w.run.pid);
  w.totals = wait_totals(log);
  w.files = file_words(log);
  check_ledger(w.run, w.totals);
  return w;
}

double ms(std::uint64_t ns) { return static_cast<double>(ns) * 1e-6; }

// A number of all sockets, named or not.
std::uint64_t of_sockets(const Waited& w, std::uint64_t log::FileWords::*number) {
  std::uint64_t sum = 0;
  for (const auto& [name, words] : w.files) {
    if (name.starts_with("socket/")) sum += words.*number;
  }
  return sum;
}

}  // namespace

// Catches clocks that are read in the wrong place, bytes that were asked for instead of moved, and connections that are
// told by their own ports.
TEST_CASE("a server that takes its time is seen in its client's recv, exactly") {
  const Waited w = network_waits("tcp");
  CHECK(w.ms("network/recv") > 600);
  CHECK(w.ms("network/accept") > 90);
  const std::string port = std::to_string(w.run.fact("port"));
  const log::FileWords& client = w.file("socket/tcp 127.0.0.1:" + port);
  CHECK(client.reads == 3);
  CHECK(client.read_bytes == 7500);
  CHECK(ms(client.read_ns) > 600);
  const log::FileWords& server = w.file("socket/tcp *:" + port + " (accepted)");
  CHECK(ms(server.read_ns) < 100);
  CHECK(ms(w.file("socket/tcp *:" + port + " (listening)").poll_ns) > 90);
  CHECK(client.answers == 3);
  CHECK(ms(client.answer_ns) > 600);
  CHECK(client.answering_ns == client.answer_ns);
  CHECK(server.answers == 3);
  CHECK(ms(server.answer_ns) > 600);
  CHECK(client.answer_ns >= server.answer_ns);
  CHECK(of_sockets(w, &log::FileWords::read_bytes) == 10500);
  CHECK(of_sockets(w, &log::FileWords::write_bytes) == 10500);
  CHECK(of_sockets(w, &log::FileWords::opens) == 1);
}

// Catches questions that outlive their connection, and time that is counted once for each of those who wait in it.
TEST_CASE("the time until a peer answers is told, and what several were awaited at once") {
  const Waited w = network_waits("asking");
  const std::string port = std::to_string(w.run.fact("port"));
  const log::FileWords& client = w.file("socket/tcp 127.0.0.1:" + port);
  CHECK(client.answers == 2);
  CHECK(ms(client.answer_ns) > 490);
  CHECK(ms(client.answering_ns) > 295);
  CHECK(ms(client.answer_ns - client.answering_ns) > 190);
  const log::FileWords& server = w.file("socket/tcp *:" + port + " (accepted)");
  CHECK(server.answers == 2);
  CHECK(ms(server.answer_ns) > 490);
  CHECK(ms(server.answer_ns - server.answering_ns) > 190);
}

// Catches families of functions of which one member is forgotten, bytes that are counted twice when they are looked at
// first, and sums over the messages of which only some came.
TEST_CASE("datagrams of all functions are counted, and their bytes once") {
  const Waited w = network_waits("datagrams");
  CHECK(w.ms("network/recvfrom") > 110);
  CHECK(w.ms("network/recvmsg") > 110);
  CHECK(w.ms("network/recvmmsg") > 110);
  CHECK(of_sockets(w, &log::FileWords::read_bytes) == of_sockets(w, &log::FileWords::write_bytes));
  CHECK(ms(w.file("socket/unix (unnamed)").read_ns) > 330);
}

TEST_CASE("sockets of UDP have the name of their peer, or else of their own port") {
  const Waited w = network_waits("udp");
  const std::string port = std::to_string(w.run.fact("udp_port"));
  CHECK(ms(w.file("socket/udp 127.0.0.1:" + port).read_ns) > 100);
  CHECK(ms(w.file("socket/udp *:" + port).read_ns) > 100);
  CHECK(wait_total(w.totals, "recv").last_errno == EAGAIN);
}

// Catches tables of descriptors that know only what was made in front of them.
TEST_CASE("a descriptor that came through a socket is asked what it is") {
  const Waited w = network_waits("rights");
  CHECK(w.ms("poll/poll") > 120);
  double waited_ms = 0;
  for (const auto& [name, words] : w.files) {
    if (name.starts_with("pipe/pipe:[")) waited_ms += ms(words.poll_ns);
  }
  CHECK(waited_ms > 120);
}

// Catches waits that are booked on one of several descriptors, and those that are booked on none although there was but
// one.
TEST_CASE("waiting for one descriptor is waiting for what it is; for several, for none of them") {
  const Waited w = network_waits("polling");
  double pipe_ms = 0;
  std::uint64_t pipe_polls = 0;
  for (const auto& [name, words] : w.files) {
    if (!name.starts_with("pipe/")) continue;
    pipe_ms += ms(words.poll_ns);
    pipe_polls += words.polls;
  }
  CHECK(pipe_polls == 4);  // poll twice, select, pselect
  CHECK(pipe_ms > 370);
  CHECK(pipe_ms < 500);
  const log::FileWords& set = w.file("event/eventpoll");
  CHECK(set.polls == 3);
  CHECK(ms(set.poll_ns) > 250);
}

TEST_CASE("polling for nothing is sleeping") {
  const Waited w = network_waits("nothing");
  CHECK(w.calls("sleep/poll") == 1);
  CHECK(w.calls("sleep/select") == 1);
  CHECK(w.calls("sleep/pselect") == 1);
  CHECK(w.ms("sleep/poll") + w.ms("sleep/select") + w.ms("sleep/pselect") > 265);
  CHECK(w.calls("poll/poll") + w.calls("poll/select") + w.calls("poll/pselect") == 0);
}

TEST_CASE("events and message queues are network_waits for") {
  const Waited w = network_waits("events");
  CHECK(w.ms("poll/eventfd_read") > 130);
  CHECK(ms(w.file("event/eventfd").read_ns) > 130);
}

// Catches system calls that only libc's own functions show, classes by their number alone, and arguments that are lost.
TEST_CASE("system calls by number are told by what they wait for") {
  const Waited w = network_waits("number");
  CHECK(w.ms("lock/syscall(futex)") > 240);
  CHECK(w.ms("sleep/syscall(nanosleep)") > 100);
  CHECK(w.ms("sleep/syscall(clock_nanosleep)") > 100);
  CHECK(w.ms("poll/syscall(ppoll)") > 100);
  CHECK(w.calls("pipe/syscall(read)") == 1);
  CHECK(w.calls("pipe/syscall(write)") == 1);
}

// Catches wrappers that look at what they are given before the kernel has refused it.
TEST_CASE("calls that fail are counted, with their reason") {
  const Waited w = network_waits("failing");
  CHECK(wait_total(w.totals, "connect").last_errno == ECONNREFUSED);
  CHECK(wait_total(w.totals, "send").last_errno == EBADF);
  CHECK(wait_total(w.totals, "accept").last_errno == EINVAL);
}

TEST_CASE("looking up names is waiting for the network") {
  const Waited w = network_waits("name");
  CHECK(w.calls("network/getaddrinfo") == 2);
  CHECK(wait_total(w.totals, "getaddrinfo").last_errno == ENOENT);
}

// Catches wrappers that give a tick's EINTR to the host, those that begin the whole time anew, and those that call
// connect a second time without knowing what it says then.
TEST_CASE("calls that every handler ends last as long when our own signal comes in their middle") {
  const Command command = Command::victim("wait_ticked");
  const Outcome alone = command.run();
  INFO(alone);
  REQUIRE(alone.ok());
  REQUIRE(alone.fact("signals") == 0);
  TempDir temp;
  const Outcome run = check_survives(command, temp / "run");
  CHECK(run.fact("signals") > 30);
  check_ledger(run, wait_totals(log_of(temp / "run", run.pid)));
}

// Catches those who take an interruption for their own because they were there, too: the kernel runs our handler first,
// and the host's behind it.
TEST_CASE("a signal of the host's own ends its calls, also where ours comes at the same time") {
  const Command command = Command::victim("wait_ticked", {"200"});
  const Outcome alone = command.run();
  INFO(alone);
  REQUIRE(alone.ok());
  TempDir temp;
  CHECK(check_survives(command, temp / "run").fact("together") >= 200);
}
