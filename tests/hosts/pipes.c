// Data through pipes, sockets and files: what comes out is what went in.
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/hosts/host.h"

struct sender {
  int fd;
  uint64_t seed;
  size_t size;
};

// All of it, whatever interrupts.
static void send_all(int fd, const char* from, size_t size, bool as_socket) {
  while (size > 0) {
    const ssize_t sent = as_socket ? send(fd, from, size, MSG_NOSIGNAL) : write(fd, from, size);
    if (sent < 0) {
      CHECK(errno == EINTR);
      continue;
    }
    from += sent;
    size -= (size_t)sent;
  }
}

static void receive_all(int fd, char* to, size_t size, uint64_t way) {
  while (size > 0) {
    ssize_t got;
    struct iovec parts[2] = {{to, size / 2}, {to + size / 2, size - size / 2}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    switch (way) {
      case 0:
        got = read(fd, to, size);
        break;
      case 1:
        got = readv(fd, parts, 2);
        break;
      case 2:
        got = recv(fd, to, size, 0);
        break;
      case 3:
        got = recvmsg(fd, &message, 0);
        break;
      default:
        got = recvfrom(fd, to, size, 0, NULL, NULL);
        break;
    }
    if (got < 0) {
      CHECK(errno == EINTR);
      continue;
    }
    CHECK(got > 0);
    to += got;
    size -= (size_t)got;
  }
}

static void through(struct step* s, int in, int out, bool sockets) {
  const size_t size = between(s, 1, 4000);
  char *sent = malloc(size), *got = malloc(size);
  CHECK(sent && got);
  for (int i = 0; i < 10; ++i) {
    const uint64_t seed = draw(s);
    fill(sent, size, seed);
    memset(got, 0, size);
    send_all(in, sent, size, sockets);
    receive_all(out, got, size, below(s, sockets ? 5 : 2));
    CHECK(filled(got, size, seed));
    fold(s, seed);
  }
  free(sent);
  free(got);
}

static void over_network(struct step* s) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof(address);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(listener >= 0 && client >= 0);
  CHECK(bind(listener, (struct sockaddr*)&address, length) == 0 && listen(listener, 4) == 0);
  CHECK(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  // A connect that was interrupted goes on by itself, and cannot be repeated: nothing interrupts it.
  const struct quiet q = be_quiet();
  CHECK(connect(client, (struct sockaddr*)&address, length) == 0);
  const int server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  CHECK(server >= 0);
  be_loud(&q);
  through(s, client, server, true);
  CHECK(shutdown(client, SHUT_WR) == 0);
  char byte;
  ssize_t got;
  while ((got = recv(server, &byte, 1, 0)) == -1) CHECK(errno == EINTR);
  CHECK(got == 0 && close(server) == 0 && close(client) == 0 && close(listener) == 0);
}

void pipes_operation(struct step* s) {
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  through(s, ends[1], ends[0], false);
  CHECK(close(ends[0]) == 0);
  errno = 0;
  struct sigaction ignore, before;
  memset(&ignore, 0, sizeof(ignore));
  ignore.sa_handler = SIG_IGN;
  CHECK(sigaction(SIGPIPE, &ignore, &before) == 0);
  CHECK(before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN);
  // A child that another thread has just forked may have the other end for a moment.
  while (write(ends[1], "x", 1) == 1) sleep_us(200);
  CHECK(errno == EPIPE);
  CHECK(close(ends[1]) == 0);
  const int kind = once_in(s, 3) ? SOCK_SEQPACKET : SOCK_STREAM;
  CHECK(socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, ends) == 0);
  errno = 0;
  char byte;
  CHECK(recv(ends[0], &byte, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  through(s, ends[0], ends[1], true);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  if (once_in(s, 3)) over_network(s);
}

static void with_stdio(struct step* s, const char* name) {
  FILE* file = fopen(name, "we+");
  CHECK(file != NULL);
  uint64_t sum = 0, back = 0, value;
  for (int i = 0; i < 200; ++i) {
    value = below(s, 1000000);
    sum += value;
    CHECK(fprintf(file, "%llu\n", (unsigned long long)value) > 0);
  }
  CHECK(fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0);
  char* line = NULL;
  size_t room = 0;
  while (getline(&line, &room, file) > 0) back += strtoull(line, NULL, 10);
  free(line);
  CHECK(sum == back && fclose(file) == 0);
  fold(s, sum);
}

void files_operation(struct step* s) {
  char name[] = "/tmp/prof-host-XXXXXX", other[64];
  const int fd = mkstemp(name);
  CHECK(fd >= 0);
  snprintf(other, sizeof(other), "%s.2", name);
  const size_t size = between(s, 1, 30000);
  const off_t offset = (off_t)below(s, 100000);
  const uint64_t seed = draw(s);
  char* bytes = malloc(size);
  CHECK(bytes != NULL);
  fill(bytes, size, seed);
  CHECK(pwrite(fd, bytes, size, offset) == (ssize_t)size);
  memset(bytes, 0, size);
  CHECK(pread(fd, bytes, size, offset) == (ssize_t)size && filled(bytes, size, seed));
  struct stat status;
  CHECK(fstat(fd, &status) == 0 && status.st_size == offset + (off_t)size);
  CHECK(lseek(fd, 0, SEEK_END) == status.st_size && read(fd, bytes, 1) == 0);
  CHECK(rename(name, other) == 0);
  errno = 0;
  CHECK(open(name, O_RDONLY) == -1 && errno == ENOENT);
  const int copy = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  CHECK(copy >= 0);
  for (off_t from = offset; from < offset + (off_t)size;) {  // a signal may end it early, or before it begins
    const ssize_t sent = sendfile(copy, fd, &from, (size_t)(offset + (off_t)size - from));
    CHECK(sent > 0 || (sent == -1 && errno == EINTR));
  }
  CHECK(pread(copy, bytes, size, 0) == (ssize_t)size && filled(bytes, size, seed));
  if (once_in(s, 4)) CHECK(fdatasync(copy) == 0);
  CHECK(ftruncate(fd, 3) == 0 && pread(fd, bytes, size, 3) == 0);
  CHECK(close(fd) == 0 && close(copy) == 0 && unlink(other) == 0);
  if (!s->forked) with_stdio(s, name);
  CHECK(unlink(name) == 0);
  free(bytes);
  fold(s, size);
}
