// Sockets: stream and datagram, blocking and not, of both families, and what comes with messages.
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "conform.h"

static char buffer[400000];
static struct sockaddr_in loopback;
static socklen_t loopback_size = sizeof loopback;

static int listening(void) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  loopback = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  loopback_size = sizeof loopback;
  EXPECT(fd >= 0 && bind(fd, (struct sockaddr*)&loopback, sizeof loopback) == 0 && listen(fd, 8) == 0);
  EXPECT(getsockname(fd, (struct sockaddr*)&loopback, &loopback_size) == 0);
  return fd;
}
static int timeout_of(int fd, int which, long ms) {
  const struct timeval value = {.tv_usec = ms * 1000};
  return setsockopt(fd, SOL_SOCKET, which, &value, sizeof value);
}

static void errors(void) {
  const int file = open("/dev/null", O_RDWR), fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_un none = {.sun_family = AF_UNIX, .sun_path = "/none/none"};
  struct msghdr message = {0};
  int pair[2];
  FAILS("socket of no family", socket(9999, SOCK_STREAM, 0), EAFNOSUPPORT);
  FAILS("socket of no type", socket(AF_UNIX, 99, 0), EINVAL);
  FAILS("socketpair of TCP", socketpair(AF_INET, SOCK_STREAM, 0, pair), EOPNOTSUPP);
  FAILS("connect a closed one", connect(200, (struct sockaddr*)&loopback, sizeof loopback), EBADF);
  FAILS("connect a file", connect(file, (struct sockaddr*)&loopback, sizeof loopback), ENOTSOCK);
  FAILS("connect to a bad address", connect(fd, nowhere, sizeof loopback), EFAULT);
  FAILS("connect with too little", connect(fd, (struct sockaddr*)&loopback, 1), EINVAL);
  const int local = socket(AF_UNIX, SOCK_STREAM, 0);
  FAILS("connect to no path", connect(local, (struct sockaddr*)&none, sizeof none), ENOENT);
  FAILS("bind to no path", bind(local, (struct sockaddr*)&none, sizeof none), ENOENT);
  FAILS("accept what does not listen", accept(fd, NULL, NULL), EINVAL);
  FAILS("accept a file", accept(file, NULL, NULL), ENOTSOCK);
  FAILS("accept4 with bad flags", accept4(fd, NULL, NULL, 1), EINVAL);
  FAILS("listen on a closed one", listen(200, 1), EBADF);
  FAILS("send on a file", send(file, "x", 1, 0), ENOTSOCK);
  FAILS("send on a closed one", send(200, "x", 1, 0), EBADF);
  FAILS("send without connection", send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
  FAILS("recv without connection", recv(fd, buffer, sized(1), 0), ENOTCONN);
  FAILS("recvfrom a file", recvfrom(file, buffer, sized(1), 0, NULL, NULL), ENOTSOCK);
  FAILS("recvmsg on a closed one", recvmsg(200, &message, 0), EBADF);
  FAILS("recvmsg to a bad address", recvmsg(fd, nowhere, 0), EFAULT);
  FAILS("sendmsg on a file", sendmsg(file, &message, 0), ENOTSOCK);
  FAILS("sendmmsg on a closed one", sendmmsg(200, NULL, 1, 0), EBADF);
  FAILS("recvmmsg on a closed one", recvmmsg(200, NULL, 1, 0, NULL), EBADF);
  FAILS("shutdown without connection", shutdown(fd, SHUT_RDWR), ENOTCONN);
  FAILS("getpeername without connection", getpeername(fd, (struct sockaddr*)&loopback, &loopback_size), ENOTCONN);
  FAILS("getsockopt of none", getsockopt(fd, SOL_SOCKET, 9999, buffer, &(socklen_t){4}), ENOPROTOOPT);
  close(file), close(fd), close(local);
}

static void connecting(void) {
  const int listener = listening(), client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int error = -1;
  socklen_t size = sizeof error;
  FAILS("connect without blocking", connect(client, (struct sockaddr*)&loopback, sizeof loopback), EINPROGRESS);
  struct sockaddr_in peer;
  socklen_t peer_size = sizeof peer;
  const int server = accept4(listener, (struct sockaddr*)&peer, &peer_size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  HOLDS("accept4", server >= 0);
  HOLDS("accept4's flags", fcntl(server, F_GETFD) == FD_CLOEXEC && (fcntl(server, F_GETFL) & O_NONBLOCK));
  struct sockaddr_in own;
  socklen_t own_size = sizeof own;
  EXPECT(getsockname(client, (struct sockaddr*)&own, &own_size) == 0);
  HOLDS("accept4's address", peer_size == sizeof peer && peer.sin_port == own.sin_port);
  struct pollfd polled = {.fd = client, .events = POLLOUT};
  GIVES("poll until connected", poll(&polled, 1, 2000), 1);
  GIVES("SO_ERROR", getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size), 0);
  IS("no error", error, 0);
  GIVES("connect again tells the end of the first", connect(client, (struct sockaddr*)&loopback, sizeof loopback), 0);
  FAILS("connect once more", connect(client, (struct sockaddr*)&loopback, sizeof loopback), EISCONN);
  FAILS("recv of nothing", recv(server, buffer, sized(10), 0), EAGAIN);
  FAILS("read of nothing", read(client, buffer, sized(10)), EAGAIN);
  const int idle = fcntl(listener, F_SETFL, O_NONBLOCK);
  FAILS("accept of nobody", accept(listener, NULL, NULL), EAGAIN);
  IS("F_SETFL", idle, 0);
  long sent = 0;
  for (ssize_t n; (n = send(client, buffer, sizeof buffer, 0)) > 0;) sent += n;
  HOLDS("send to a full one", errno == EAGAIN);
  long received = 0;
  for (int quiet = 0; received < sent && quiet < 1000;) {
    const ssize_t n = recv(server, buffer, sized(sizeof buffer), MSG_DONTWAIT);
    if (n > 0)
      received += n;
    else
      ++quiet, poll(&(struct pollfd){.fd = server, .events = POLLIN}, 1, 10);
  }
  IS("all came", received == sent, 1);
  // A reset: what was unread when it was closed.
  EXPECT(send(client, "unread", 6, 0) == 6);
  poll(&(struct pollfd){.fd = server, .events = POLLIN}, 1, 1000);
  EXPECT(close(server) == 0);
  GIVES("poll until reset", poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, 2000), 1);
  FAILS("recv after a reset", recv(client, buffer, sized(10), 0), ECONNRESET);
  FAILS("send after a reset", send(client, "x", 1, MSG_NOSIGNAL), EPIPE);
  close(client), close(listener);
  const int refused = socket(AF_INET, SOCK_STREAM, 0);
  FAILS("connect where nobody listens", connect(refused, (struct sockaddr*)&loopback, sizeof loopback), ECONNREFUSED);
  close(refused);
}

static volatile int broken;
static void on_pipe(int number) { broken += number == SIGPIPE; }

static void* sends_in_parts(void* fd) {
  for (int i = 0; i < 5; ++i) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    EXPECT(send((int)(long)fd, "12", 2, 0) == 2);
  }
  return NULL;
}

static void streams(void) {
  int pair[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  GIVES("send", send(pair[1], "abcdef", 6, 0), 6);
  GIVES("MSG_PEEK", recv(pair[0], buffer, sized(3), MSG_PEEK), 3);
  GIVES("short recv", recv(pair[0], buffer, sized(100), 0), 6);
  HOLDS("peeked at, not taken", memcmp(buffer, "abcdef", 6) == 0);
  FAILS("MSG_DONTWAIT", recv(pair[0], buffer, sized(100), MSG_DONTWAIT), EAGAIN);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, sends_in_parts, (void*)(long)pair[1]) == 0);
  GIVES("MSG_WAITALL", recv(pair[0], buffer, sized(10), MSG_WAITALL), 10);
  EXPECT(pthread_join(thread, NULL) == 0);
  int64_t start = now_ns();
  EXPECT(timeout_of(pair[0], SO_RCVTIMEO, 20) == 0);
  FAILS("SO_RCVTIMEO", recv(pair[0], buffer, sized(10), 0), EAGAIN);
  HOLDS("not before its time", now_ns() - start >= 19000000);
  FAILS("SO_RCVTIMEO of read", read(pair[0], buffer, sized(10)), EAGAIN);
  EXPECT(timeout_of(pair[1], SO_SNDTIMEO, 20) == 0);
  // How much fits first depends on the system.
  const ssize_t part = send(pair[1], buffer, sizeof buffer, 0);
  HOLDS("a short send", part > 0 && part < (ssize_t)sizeof buffer);
  FAILS("SO_SNDTIMEO", send(pair[1], buffer, sizeof buffer, 0), EAGAIN);
  EXPECT(timeout_of(pair[0], SO_RCVTIMEO, 0) == 0 && timeout_of(pair[1], SO_SNDTIMEO, 0) == 0);
  IS("MSG_WAITALL of all", recv(pair[0], buffer, sized((size_t)part), MSG_WAITALL), part);
  struct iovec parts[2] = {{(char*)"one", 3}, {(char*)"two", 3}};
  GIVES("writev", writev(pair[1], parts, 2), 6);
  int waiting = 0;
  EXPECT(ioctl(pair[0], FIONREAD, &waiting) == 0);
  IS("FIONREAD", waiting, 6);
  char a[4] = "", b[4] = "";
  struct iovec into[2] = {{a, 3}, {b, 3}};
  GIVES("readv", readv(pair[0], into, 2), 6);
  HOLDS("its parts", strcmp(a, "one") == 0 && strcmp(b, "two") == 0);
  GIVES("shutdown of writing", shutdown(pair[1], SHUT_WR), 0);
  GIVES("end of the stream", recv(pair[0], buffer, sized(10), 0), 0);
  GIVES("the other way", send(pair[0], "back", 4, 0), 4);
  GIVES("it comes", recv(pair[1], buffer, sized(10), 0), 4);
  const struct sigaction action = {.sa_handler = on_pipe};
  EXPECT(sigaction(SIGPIPE, &action, NULL) == 0);
  FAILS("send after shutdown", send(pair[1], "x", 1, 0), EPIPE);
  FAILS("send after shutdown, quiet", send(pair[1], "x", 1, MSG_NOSIGNAL), EPIPE);
  FAILS("write after shutdown", write(pair[1], "x", 1), EPIPE);
  IS("SIGPIPE", broken, 2);
  close(pair[0]), close(pair[1]);
}

static void messages(void) {
  int pair[2], sent_fd[2];
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 && pipe(sent_fd) == 0);
  GIVES("send a datagram", send(pair[0], "0123456789", 10, 0), 10);
  GIVES("a datagram is cut", recv(pair[1], buffer, sized(4), 0), 4);
  FAILS("and its rest is gone", recv(pair[1], buffer, sized(4), MSG_DONTWAIT), EAGAIN);
  GIVES("send an empty one", send(pair[0], "", 0, 0), 0);
  GIVES("receive an empty one", recv(pair[1], buffer, sized(4), 0), 0);
  EXPECT(send(pair[0], "0123456789", 10, 0) == 10);
  struct iovec part = {buffer, 4};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  GIVES("MSG_TRUNC tells its size", recvmsg(pair[1], &message, MSG_TRUNC), 10);
  HOLDS("it says that it was cut", message.msg_flags & MSG_TRUNC);

  // A descriptor in a message: a new one here, of the same pipe.
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {0};
  part = (struct iovec){(char*)"fd", 2};
  message = (struct msghdr){
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(head), &sent_fd[1], sizeof(int));
  GIVES("send a descriptor", sendmsg(pair[0], &message, 0), 2);
  memset(&control, 0, sizeof control);
  part = (struct iovec){buffer, 10};
  message.msg_controllen = sizeof control.bytes;
  GIVES("receive a descriptor", recvmsg(pair[1], &message, MSG_CMSG_CLOEXEC), 2);
  int got = -1;
  memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
  HOLDS("it is another one", got >= 0 && got != sent_fd[1] && fcntl(got, F_GETFD) == FD_CLOEXEC);
  GIVES("write to it", write(got, "through", 7), 7);
  GIVES("it comes out", read(sent_fd[0], buffer, sized(20)), 7);
  close(got), close(sent_fd[0]), close(sent_fd[1]);

  struct iovec lines[3] = {{(char*)"a", 1}, {(char*)"bb", 2}, {(char*)"ccc", 3}};
  struct mmsghdr several[3];
  memset(several, 0, sizeof several);
  for (int i = 0; i < 3; ++i) several[i].msg_hdr = (struct msghdr){.msg_iov = &lines[i], .msg_iovlen = 1};
  GIVES("sendmmsg", sendmmsg(pair[0], several, 3, 0), 3);
  HOLDS("its lengths", several[0].msg_len == 1 && several[2].msg_len == 3);
  char texts[4][8] = {"", "", "", ""};
  struct mmsghdr incoming[4];
  struct iovec places[4];
  memset(incoming, 0, sizeof incoming);
  for (int i = 0; i < 4; ++i) {
    places[i] = (struct iovec){texts[i], 7};
    incoming[i].msg_hdr = (struct msghdr){.msg_iov = &places[i], .msg_iovlen = 1};
  }
  GIVES("recvmmsg", recvmmsg(pair[1], incoming, 4, MSG_WAITFORONE, NULL), 3);
  HOLDS("its texts", strcmp(texts[0], "a") == 0 && strcmp(texts[2], "ccc") == 0 && incoming[1].msg_len == 2);
  FAILS("recvmmsg of none", recvmmsg(pair[1], incoming, 4, MSG_DONTWAIT, NULL), EAGAIN);
  close(pair[0]);
  FAILS("send to a closed peer", send(pair[1], "x", 1, 0), ECONNREFUSED);
  close(pair[1]);

  const int one = socket(AF_INET, SOCK_DGRAM, 0), two = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, from;
  socklen_t size = sizeof at;
  EXPECT(bind(one, (struct sockaddr*)&at, sizeof at) == 0 && getsockname(one, (struct sockaddr*)&at, &size) == 0);
  GIVES("sendto", sendto(two, "udp", 3, 0, (struct sockaddr*)&at, sizeof at), 3);
  size = sizeof from;
  GIVES("recvfrom", recvfrom(one, buffer, sized(100), 0, (struct sockaddr*)&from, &size), 3);
  GIVES("answer", sendto(one, "back", 4, 0, (struct sockaddr*)&from, size), 4);
  GIVES("connect for datagrams", connect(two, (struct sockaddr*)&at, sizeof at), 0);
  GIVES("recv what was sent before", recv(two, buffer, sized(100), 0), 4);
  FAILS("sendto too much", sendto(two, buffer, 100000, 0, NULL, 0), EMSGSIZE);
  close(one), close(two);
}

static void paths(void) {
  enter_scratch();
  struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "here"}, from;
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0), client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  FAILS("connect before bind", connect(client, (struct sockaddr*)&at, sizeof at), ENOENT);
  GIVES("bind a path", bind(listener, (struct sockaddr*)&at, sizeof at), 0);
  FAILS("connect before listen", connect(client, (struct sockaddr*)&at, sizeof at), ECONNREFUSED);
  GIVES("listen", listen(listener, 1), 0);
  GIVES("connect", connect(client, (struct sockaddr*)&at, sizeof at), 0);
  socklen_t size = sizeof from;
  const int server = accept(listener, (struct sockaddr*)&from, &size);
  HOLDS("accept of a nameless one", server >= 0 && size == sizeof(sa_family_t));
  EXPECT(send(client, "packet", 6, 0) == 6 && send(client, "x", 1, 0) == 1);
  GIVES("packets stay apart", recv(server, buffer, sized(100), 0), 6);
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = 0x123456789abcdefULL}, seen;
  GIVES("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_ADD, server, &event), 0);
  FAILS("epoll_ctl twice", epoll_ctl(epoll, EPOLL_CTL_ADD, server, &event), EEXIST);
  GIVES("epoll_wait", epoll_wait(epoll, &seen, 1, 1000), 1);
  HOLDS("its data", seen.data.u64 == event.data.u64 && seen.events == EPOLLIN);
  GIVES("once", epoll_wait(epoll, &seen, 1, 0), 0);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(server, &set);
  GIVES("select", select(server + 1, &set, NULL, NULL, NULL), 1);
  HOLDS("its set", FD_ISSET(server, &set));
  // The lowest free one: the kernel ignores what lies beyond its table of open ones, which is as small as 64.
  const int closed = dup(server);
  close(closed);
  FD_SET(closed, &set);
  FAILS("select of a closed one", select(closed + 1, &set, NULL, NULL, &(struct timeval){0}), EBADF);
  FAILS("bind a path twice", bind(client, (struct sockaddr*)&at, sizeof at), EADDRINUSE);
  close(server), close(client), close(listener), close(epoll);
  leave_scratch();
}

static void names(void) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found = NULL;
  IS("getaddrinfo of a number", getaddrinfo("127.0.0.1", "80", &hints, &found), 0);
  HOLDS("its address", found != NULL && ((struct sockaddr_in*)found->ai_addr)->sin_port == htons(80));
  char host[100] = "", service[20] = "";
  IS("getnameinfo",
     getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, service, sizeof service,
                 NI_NUMERICHOST | NI_NUMERICSERV),
     0);
  HOLDS("its names", strcmp(host, "127.0.0.1") == 0 && strcmp(service, "80") == 0);
  freeaddrinfo(found);
  IS("getaddrinfo of no number", getaddrinfo("no number", NULL, &hints, &found), EAI_NONAME);
  IS("getaddrinfo of nothing", getaddrinfo(NULL, NULL, &hints, &found), EAI_NONAME);
  hints.ai_family = 999;
  IS("getaddrinfo of no family", getaddrinfo("127.0.0.1", NULL, &hints, &found), EAI_FAMILY);
  hints = (struct addrinfo){.ai_flags = 0x800000};
  IS("getaddrinfo with bad flags", getaddrinfo("127.0.0.1", NULL, &hints, &found), EAI_BADFLAGS);
  hints = (struct addrinfo){.ai_flags = AI_NUMERICSERV};
  IS("getaddrinfo of no service", getaddrinfo("127.0.0.1", "http", &hints, &found), EAI_NONAME);
  IS("getnameinfo of too little", getnameinfo((struct sockaddr*)&loopback, 2, host, sizeof host, NULL, 0, 0),
     EAI_FAMILY);
  // A bare root has no /etc/hosts that names it.
  const int local = getaddrinfo("localhost", NULL, NULL, &found);
  HOLDS("getaddrinfo of this machine", local == 0 || (local == EAI_NONAME && access("/etc/hosts", F_OK) != 0));
  if (local == 0) freeaddrinfo(found);
}

int main(void) {
  burn_beside(1);
  errors();
  connecting();
  streams();
  messages();
  paths();
  names();
  return conform_failed;
}
