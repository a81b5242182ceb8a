#include "agent/files/sockets.hpp"

#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

#include "agent/core/raw.hpp"

namespace prof::files {
namespace {

// Ports that the kernel gives by itself; below them stand those that programs choose, by which they are known.
constexpr unsigned kFirstEphemeral = 32768;

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un unix;
  sockaddr_vm vm;
};
struct Name {
  Address address{};
  socklen_t bytes = sizeof(Address);
  bool asked(long system_call, int fd) {
    return raw::call(system_call, fd, raw::word(&address), raw::word(&bytes)) == 0;
  }
};

int option(int fd, int which, int otherwise) {
  int value = otherwise;
  socklen_t bytes = sizeof(value);
  return raw::call(SYS_getsockopt, fd, SOL_SOCKET, which, raw::word(&value), raw::word(&bytes)) == 0 ? value
                                                                                                     : otherwise;
}

unsigned port_of(const Name& n) {
  const auto& a = n.address;
  const std::uint16_t port = a.any.sa_family == AF_INET6 ? a.v6.sin6_port : a.v4.sin_port;
  return static_cast<unsigned>(port >> 8 | (port & 0xff) << 8);
}

void put_v4(TextBuilder& to, const unsigned char* bytes) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) to << '.';
    to << std::uint32_t{bytes[i]};
  }
}

// As RFC 5952 writes it: the longest run of zero groups is "::".
void put_v6(TextBuilder& to, const unsigned char* bytes) {
  std::uint32_t group[8];
  for (int i = 0; i < 8; ++i) group[i] = static_cast<std::uint32_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  int gap = 8, gap_length = 1;
  for (int i = 0; i < 8; ++i) {
    int n = 0;
    while (i + n < 8 && group[i + n] == 0) ++n;
    if (n > gap_length) gap = i, gap_length = n;
  }
  to << '[';
  for (int i = 0; i < 8;) {
    if (i == gap) {
      to << "::";
      i += gap_length;
      continue;
    }
    if (i > 0 && i != gap + gap_length) to << ':';
    to.hex(group[i++], 1);
  }
  to << ']';
}

void put_host(TextBuilder& to, const Name& n) {
  if (n.address.any.sa_family == AF_INET) {
    put_v4(to, reinterpret_cast<const unsigned char*>(&n.address.v4.sin_addr));
    return;
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(&n.address.v6.sin6_addr);
  static constexpr unsigned char kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(bytes, kMapped, sizeof(kMapped)) == 0)
    put_v4(to, bytes + sizeof(kMapped));
  else
    put_v6(to, bytes);
}

const char* protocol_of(int type, int protocol) {
  switch (protocol) {
    case IPPROTO_TCP:
      return "tcp";
    case IPPROTO_UDP:
      return "udp";
    case IPPROTO_SCTP:
      return "sctp";
    case IPPROTO_ICMP:
    case IPPROTO_ICMPV6:
      return "icmp";
    case 262:  // IPPROTO_MPTCP, which older headers lack
      return "mptcp";
    default:
      return type == SOCK_RAW ? "raw" : type == SOCK_STREAM ? "tcp" : type == SOCK_DGRAM ? "udp" : "ip";
  }
}

Naming name_internet(int fd, bool accepted, TextBuilder& to) {
  const int type = option(fd, SO_TYPE, 0);
  const bool stream = type == SOCK_STREAM || type == SOCK_SEQPACKET;
  to << protocol_of(type, option(fd, SO_PROTOCOL, 0)) << ' ';
  Name own, peer;
  const bool bound = own.asked(SYS_getsockname, fd);
  const unsigned port = bound ? port_of(own) : 0;
  if (peer.asked(SYS_getpeername, fd)) {
    // One that another process accepted, and passed on.
    if (port_of(peer) >= kFirstEphemeral && port < kFirstEphemeral && port != 0) accepted = true;
    if (!accepted) {
      put_host(to, peer);
      to << ':' << std::uint32_t{port_of(peer)};
      return Naming::Lasting;
    }
  }
  const bool listening = stream && option(fd, SO_ACCEPTCONN, 0) != 0;
  if (!accepted && !listening && (stream || port == 0 || port >= kFirstEphemeral)) {
    to << "(not connected)";
    return Naming::Passing;
  }
  to << "*:" << std::uint32_t{port};
  if (accepted) to << " (accepted)";
  if (listening) to << " (listening)";
  return Naming::Lasting;
}

// False: it has none.
bool put_path(TextBuilder& to, const Name& n) {
  const std::size_t room = n.bytes <= sizeof(sockaddr_un) ? n.bytes : sizeof(sockaddr_un);
  if (room <= offsetof(sockaddr_un, sun_path)) return false;
  const char* path = n.address.unix.sun_path;
  std::size_t length = room - offsetof(sockaddr_un, sun_path);
  if (path[0] != '\0') {
    to << std::string_view(path, strnlen(path, length));
    return true;
  }
  // An abstract name: bytes of any kind behind a 0.
  to << '@';
  for (std::size_t i = 1; i < length; ++i) to << (path[i] >= ' ' && path[i] < 0x7f ? path[i] : '?');
  return length > 1;
}

Naming name_unix(int fd, bool accepted, TextBuilder& to) {
  to << "unix ";
  Name own, peer;
  const bool connected = peer.asked(SYS_getpeername, fd);
  if (connected && !accepted && put_path(to, peer)) return Naming::Lasting;
  const bool listening = option(fd, SO_ACCEPTCONN, 0) != 0;
  if (own.asked(SYS_getsockname, fd) && put_path(to, own)) {
    if (accepted) to << " (accepted)";
    if (listening) to << " (listening)";
    return Naming::Lasting;
  }
  to << "(unnamed)";
  return connected ? Naming::Lasting : Naming::Passing;
}

}  // namespace

Naming name_socket(int fd, bool accepted, TextBuilder& to) {
  const int family = option(fd, SO_DOMAIN, -1);
  switch (family) {
    case -1:
      return Naming::NoSocket;
    case AF_INET:
    case AF_INET6:
      return name_internet(fd, accepted, to);
    case AF_UNIX:
      return name_unix(fd, accepted, to);
    case AF_NETLINK:
      to << "netlink";
      return Naming::Lasting;
    case AF_PACKET:
      to << "packet";
      return Naming::Lasting;
    case AF_VSOCK: {
      Name n;
      const bool own = accepted || !n.asked(SYS_getpeername, fd);
      if (own && !n.asked(SYS_getsockname, fd)) return to << "vsock (not connected)", Naming::Passing;
      to << "vsock ";
      if (own)
        to << '*';
      else
        to << std::uint32_t{n.address.vm.svm_cid};
      to << ':' << std::uint32_t{n.address.vm.svm_port};
      if (accepted) to << " (accepted)";
      return Naming::Lasting;
    }
    default:
      to << "family " << static_cast<std::uint32_t>(family);
      return Naming::Lasting;
  }
}

}  // namespace prof::files
