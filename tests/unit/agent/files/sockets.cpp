// Names of sockets, of all families and states.
#include "agent/files/sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "tests/support/catch.hpp"

using namespace prof;
using namespace prof::files;

namespace {

// A descriptor that is closed with its scope.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) { REQUIRE(fd >= 0); }
  ~Fd() { close(fd_); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  operator int() const { return fd_; }  // NOLINT(google-explicit-constructor)

 private:
  int fd_;
};

struct Named {
  Naming naming;
  std::string name;
  bool operator==(const Named& other) const = default;
};
std::ostream& operator<<(std::ostream& to, const Named& n) { return to << static_cast<int>(n.naming) << ' ' << n.name; }

Named named(int fd, bool accepted = false) {
  Text<200> text;
  errno = 77;
  const Naming naming = name_socket(fd, accepted, text);
  CHECK(errno == 77);
  return {naming, std::string(text.view())};
}
Named lasting(const std::string& name) { return {Naming::Lasting, name}; }
Named passing(const std::string& name) { return {Naming::Passing, name}; }

// Any port of the loopback address, and the port.
template <class Address>
int bound(int fd, Address& at) {
  socklen_t bytes = sizeof at;
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&at), &bytes) == 0);
  return ntohs(reinterpret_cast<const sockaddr_in&>(at).sin_port);
}
sockaddr_in loopback() {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

}  // namespace

TEST_CASE("a connection is named by its server, on both sides") {
  const Fd listener(socket(AF_INET, SOCK_STREAM, 0)), client(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in at = loopback();
  CHECK(named(client) == passing("tcp (not connected)"));
  const std::string port = std::to_string(bound(listener, at));
  CHECK(named(listener) == passing("tcp (not connected)"));
  REQUIRE(listen(listener, 1) == 0);
  CHECK(named(listener) == lasting("tcp *:" + port + " (listening)"));
  REQUIRE(connect(client, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
  const Fd accepted(accept(listener, nullptr, nullptr));
  CHECK(named(client) == lasting("tcp 127.0.0.1:" + port));
  CHECK(named(accepted, true) == lasting("tcp *:" + port + " (accepted)"));
}

// Catches names of connections that another process accepted, one for each of a thousand clients.
TEST_CASE("an inherited connection to a well-known port is one that was accepted") {
  const Fd listener(socket(AF_INET, SOCK_STREAM, 0)), client(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in at = loopback();
  int port = 21000;
  do at.sin_port = htons(static_cast<std::uint16_t>(++port));
  while (bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 && port < 22000);
  REQUIRE(listen(listener, 1) == 0);
  REQUIRE(connect(client, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
  const Fd accepted(accept(listener, nullptr, nullptr));
  CHECK(named(accepted) == lasting("tcp *:" + std::to_string(port) + " (accepted)"));
  CHECK(named(client) == lasting("tcp 127.0.0.1:" + std::to_string(port)));
}

TEST_CASE("addresses of IPv6 are written as everybody writes them") {
  const int made = socket(AF_INET6, SOCK_DGRAM, 0);
  if (made < 0) return;  // a system without IPv6
  const Fd fd(made);
  const auto connected_to = [&](const char* address) {
    sockaddr_in6 at{};
    at.sin6_family = AF_INET6;
    at.sin6_port = htons(53);
    REQUIRE(inet_pton(AF_INET6, address, &at.sin6_addr) == 1);
    return connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0 ? named(fd) : Named{Naming::NoSocket, ""};
  };
  CHECK(named(fd) == passing("udp (not connected)"));
  for (const char* address : {"::1", "2001:db8::1:0:0:5", "2001:db8:1:2:3:4:5:6", "fd00:0:0:1::", "1:0:2::"}) {
    const Named n = connected_to(address);
    if (n.naming != Naming::NoSocket) CHECK(n == lasting("udp [" + std::string(address) + "]:53"));
  }
  const Named mapped = connected_to("::ffff:127.0.0.1");
  if (mapped.naming != Naming::NoSocket) CHECK(mapped == lasting("udp 127.0.0.1:53"));
}

TEST_CASE("sockets of the system are named by their path") {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::memcpy(at.sun_path, "\0prof-test", 10);
  const std::string own = std::to_string(getpid());
  std::memcpy(at.sun_path + 10, own.data(), own.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 10 + own.size());
  const Fd listener(socket(AF_UNIX, SOCK_STREAM, 0)), client(socket(AF_UNIX, SOCK_STREAM, 0));
  CHECK(named(client) == passing("unix (unnamed)"));
  REQUIRE(bind(listener, reinterpret_cast<sockaddr*>(&at), bytes) == 0);
  REQUIRE(listen(listener, 1) == 0);
  REQUIRE(connect(client, reinterpret_cast<sockaddr*>(&at), bytes) == 0);
  const Fd accepted(accept(listener, nullptr, nullptr));
  CHECK(named(listener) == lasting("unix @prof-test" + own + " (listening)"));
  CHECK(named(client) == lasting("unix @prof-test" + own));
  CHECK(named(accepted, true) == lasting("unix @prof-test" + own + " (accepted)"));
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const Fd one(ends[0]), two(ends[1]);
  CHECK(named(one) == lasting("unix (unnamed)"));
}

TEST_CASE("what is no socket has no socket's name") {
  const Fd file(open("/dev/null", O_RDONLY));
  CHECK(named(file) == Named{Naming::NoSocket, ""});
  CHECK(named(-1) == Named{Naming::NoSocket, ""});
  const int netlink = socket(AF_NETLINK, SOCK_RAW, 0);
  if (netlink >= 0) {
    const Fd fd(netlink);
    CHECK(named(fd) == lasting("netlink"));
  }
}
