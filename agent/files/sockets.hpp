// Names of sockets: whom they talk to, so that all connections to one server are one row, and all that a server has
// accepted on one port are another.
#pragma once

#include "agent/core/text.hpp"

namespace prof::files {

enum class Naming {
  NoSocket,
  Passing,  // its name until it is connected, or listens: to be asked again
  Lasting,
};

// Appends what FileWords says of a socket's name; nothing where `fd` is none. `accepted`: it came from accept. Asks the
// kernel, by two to five system calls. Any context; errno stays as it is.
Naming name_socket(int fd, bool accepted, TextBuilder& to);

}  // namespace prof::files
