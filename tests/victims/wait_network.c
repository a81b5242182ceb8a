// Waits for sockets and events in all the ways in which one can, for known times, and keeps an account of it.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

#include "wait_ledger.h"

static int listening_tcp(struct sockaddr_in* at) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t bytes = sizeof *at;
  memset(at, 0, sizeof *at);
  at->sin_family = AF_INET;
  at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT(bind(fd, (struct sockaddr*)at, sizeof *at) == 0);
  EXPECT(listen(fd, 8) == 0);
  EXPECT(getsockname(fd, (struct sockaddr*)at, &bytes) == 0);
  return fd;
}

static void* answer_late(void* listener) {
  static char data[4096];
  const int fd = (int)WAITED(accept, (int)(long)listener, NULL, NULL);  // 100 ms
  EXPECT(fd >= 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT(MOVED(recv, fd, data, 1000, MSG_WAITALL) == 1000);
    sleep_ms(200);
    EXPECT(MOVED(send, fd, data, 2500, 0) == 2500);
  }
  EXPECT(MOVED(recv, fd, data, 1000, 0) == 0);
  close(fd);
  return NULL;
}

// A server that takes 200 ms for each of three answers.
static void by_tcp(void) {
  static char data[4096];
  struct sockaddr_in at;
  pthread_t server;
  const int listener = listening_tcp(&at);
  EXPECT(pthread_create(&server, NULL, answer_late, (void*)(long)listener) == 0);
  sleep_ms(100);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(WAITED(connect, fd, (struct sockaddr*)&at, sizeof at) == 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT(MOVED(send, fd, data, 1000, 0) == 1000);
    EXPECT(MOVED(recv, fd, data, 2500, MSG_WAITALL) == 2500);
  }
  EXPECT(WAITED(shutdown, fd, SHUT_RDWR) == 0);
  pthread_join(server, NULL);
  close(fd);
  close(listener);
  fact("port", ntohs(at.sin_port));
}

static int connected_to(struct sockaddr_in* at) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(WAITED(connect, fd, (struct sockaddr*)at, sizeof *at) == 0);
  return fd;
}

static void* answer_two(void* listener) {
  int fds[4];
  char c = 1;
  for (int i = 0; i < 4; ++i) fds[i] = (int)WAITED(accept, (int)(long)listener, NULL, NULL);
  for (int i = 0; i < 2; ++i) EXPECT(MOVED(recv, fds[i], &c, 1, 0) == 1);
  sleep_ms(200);
  EXPECT(MOVED(send, fds[0], &c, 1, 0) == 1);
  sleep_ms(100);
  EXPECT(MOVED(send, fds[1], &c, 1, 0) == 1);
  EXPECT(MOVED(recv, fds[2], &c, 1, 0) == 1);
  EXPECT(MOVED(recv, fds[2], &c, 1, 0) == 0);
  EXPECT(MOVED(send, fds[3], &c, 1, 0) == 1);
  for (int i = 0; i < 4; ++i) close(fds[i]);
  return NULL;
}

// Two questions at once, one that is not waited for, and a word that nobody has asked for, by the number of the other.
static void by_asking(void) {
  struct sockaddr_in at;
  pthread_t server;
  char c = 1;
  const int listener = listening_tcp(&at);
  EXPECT(pthread_create(&server, NULL, answer_two, (void*)(long)listener) == 0);
  const int first = connected_to(&at), second = connected_to(&at), dropped = connected_to(&at);
  EXPECT(MOVED(send, first, &c, 1, 0) == 1);
  EXPECT(MOVED(send, second, &c, 1, 0) == 1);
  const int last = connected_to(&at);
  EXPECT(MOVED(recv, first, &c, 1, 0) == 1);
  EXPECT(MOVED(recv, second, &c, 1, 0) == 1);
  EXPECT(MOVED(send, dropped, &c, 1, 0) == 1);
  EXPECT(dup2(last, dropped) == dropped);
  EXPECT(MOVED(recv, dropped, &c, 1, 0) == 1);
  pthread_join(server, NULL);
  close(first), close(second), close(dropped), close(last), close(listener);
  fact("port", ntohs(at.sin_port));
}

static void* send_datagrams(void* to) {
  static char data[300];
  struct iovec part = {data, 200};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  struct mmsghdr two[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
  const int fd = (int)(long)to;
  sleep_ms(120);
  EXPECT(MOVED(sendto, fd, data, 100, 0, NULL, 0) == 100);
  sleep_ms(120);
  EXPECT(MOVED(sendmsg, fd, &message, 0) == 200);
  sleep_ms(120);
  EXPECT(WAITED(sendmmsg, fd, two, 2, 0) == 2);
  wait_row("sendmmsg")->bytes += 400;
  return NULL;
}

static void by_datagrams(void) {
  static char data[300];
  struct iovec part = {data, sizeof data};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  struct mmsghdr two[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
  struct timespec second = {1, 0};
  int ends[2];
  pthread_t sender;
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  EXPECT(pthread_create(&sender, NULL, send_datagrams, (void*)(long)ends[0]) == 0);
  EXPECT(MOVED(recvfrom, ends[1], data, 300, 0, NULL, NULL) == 100);
  EXPECT(MOVED(recvmsg, ends[1], &message, 0) == 200);
  EXPECT(WAITED(recvmmsg, ends[1], two, 2, MSG_WAITFORONE, &second) >= 1);
  const int got = two[1].msg_len > 0 ? 2 : 1;
  wait_row("recvmmsg")->bytes += 200 * got;
  if (got == 1) EXPECT(MOVED(recvfrom, ends[1], data, 300, 0, NULL, NULL) == 200);
  pthread_join(sender, NULL);
  // Looked at, and then fetched: the bytes are moved once.
  EXPECT(MOVED(sendto, ends[0], data, 7, 0, NULL, 0) == 7);
  EXPECT(WAITED(recv, ends[1], data, 300, MSG_PEEK) == 7);
  EXPECT(MOVED(recv, ends[1], data, 300, 0) == 7);
  close(ends[0]), close(ends[1]);
}

// UDP with names: what is bound, and who is connected to it.
static void by_udp(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(0)};
  char c = 1;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int server = socket(AF_INET, SOCK_DGRAM, 0), client = socket(AF_INET, SOCK_DGRAM, 0);
  int port = 20011;
  do at.sin_port = htons((uint16_t)port);
  while (bind(server, (struct sockaddr*)&at, sizeof at) != 0 && ++port < 20100);
  EXPECT(WAITED(connect, client, (struct sockaddr*)&at, sizeof at) == 0);
  const struct timeval timeout = {0, 110000};
  EXPECT(setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  EXPECT(MOVED(recv, server, &c, 1, 0) == -1 && errno == EAGAIN);
  EXPECT(MOVED(send, client, &c, 1, 0) == 1);
  EXPECT(MOVED(recv, server, &c, 1, 0) == 1);
  EXPECT(setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  EXPECT(MOVED(recv, client, &c, 1, 0) == -1 && errno == EAGAIN);
  close(server), close(client);
  fact("udp_port", port);
}

// The read end of a pipe goes through a socket: the one who gets it never made it.
static void by_rights(void) {
  int ends[2], pipe_ends[2];
  char data = 1, control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&data, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  EXPECT(pipe(pipe_ends) == 0);
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &pipe_ends[0], sizeof(int));
  EXPECT(MOVED(sendmsg, ends[0], &message, 0) == 1);
  EXPECT(MOVED(recvmsg, ends[1], &message, 0) == 1);
  int got = -1;
  memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
  EXPECT(got >= 0 && got != pipe_ends[0]);
  struct pollfd one = {.fd = got, .events = POLLIN};
  EXPECT(WAITED(poll, &one, 1, 130) == 0);
  EXPECT(write(pipe_ends[1], "x", 1) == 1 && read(got, &data, 1) == 1);
  close(got), close(pipe_ends[0]), close(pipe_ends[1]), close(ends[0]), close(ends[1]);
}

static void by_polling(void) {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  const struct timespec t = {0, 110000000};
  struct timeval v = {0, 120000};
  struct pollfd two[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[0], .events = POLLIN}};
  struct epoll_event event = {.events = EPOLLIN};
  const int set = epoll_create1(0);
  EXPECT(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  fd_set in;
  EXPECT(WAITED(poll, two, 1, 150) == 0);
  EXPECT(WAITED(poll, two, 2, 160) == 0);
  EXPECT(WAITED(poll, two, 1, 0) == 0);
  EXPECT(WAITED(ppoll, two, 2, &t, NULL) == 0);
  FD_ZERO(&in);
  FD_SET(ends[0], &in);
  EXPECT(WAITED(select, ends[0] + 1, &in, NULL, NULL, &v) == 0 && v.tv_sec == 0 && v.tv_usec == 0);
  FD_SET(ends[0], &in);
  EXPECT(WAITED(pselect, ends[0] + 1, &in, NULL, NULL, &t, NULL) == 0);
  EXPECT(WAITED(epoll_wait, set, &event, 1, 130) == 0);
  EXPECT(WAITED(epoll_pwait, set, &event, 1, 130, NULL) == 0);
  EXPECT(write(ends[1], "x", 1) == 1);
  EXPECT(WAITED(poll, two, 2, -1) == 2);
  EXPECT(WAITED(epoll_wait, set, &event, 1, -1) == 1);
  close(set), close(ends[0]), close(ends[1]);
}

// Nothing but time to wait for.
static void by_waiting_for_nothing(void) {
  struct timeval v = {0, 90000};
  const struct timespec t = {0, 100000000};
  EXPECT(WAITED(poll, NULL, 0, 80) == 0);
  EXPECT(WAITED(select, 0, NULL, NULL, NULL, &v) == 0);
  EXPECT(WAITED(pselect, 0, NULL, NULL, NULL, &t, NULL) == 0);
}

static void* wake_late(void* fd) {
  sleep_ms(140);
  EXPECT(WAITED(eventfd_write, (int)(long)fd, 3) == 0);
  return NULL;
}

static void by_events(void) {
  const int event = eventfd(0, 0);
  eventfd_t value = 0;
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, wake_late, (void*)(long)event) == 0);
  EXPECT(WAITED(eventfd_read, event, &value) == 0 && value == 3);
  pthread_join(other, NULL);
  wait_row("eventfd_read")->bytes += 8;
  wait_row("eventfd_write")->bytes += 8;
  close(event);
  char name[40];
  snprintf(name, sizeof name, "/libprof-%d", (int)getpid());
  struct mq_attr shape = {.mq_maxmsg = 2, .mq_msgsize = 64};
  const mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &shape);
  if (queue < 0) return;  // a system without them
  mq_unlink(name);
  char message[64] = "";
  struct timespec until;
  EXPECT(WAITED(mq_send, queue, message, 10, 1) == 0);
  wait_row("mq_send")->bytes += 10;
  EXPECT(MOVED(mq_receive, queue, message, 64, NULL) == 10);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 120000000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, ++until.tv_sec;
  EXPECT(MOVED(mq_timedreceive, queue, message, 64, NULL, &until) == -1 && errno == ETIMEDOUT);
  mq_close(queue);
}

#define BY_NUMBER(name, ...)                                       \
  ({                                                               \
    const int64_t began_ = now_ns();                               \
    const long r_ = syscall(SYS_##name, __VA_ARGS__);              \
    const int64_t ended_ = now_ns();                               \
    const int error_ = errno;                                      \
    ledger_note("syscall(" #name ")", ended_ - began_, r_ < 0, 0); \
    errno = error_;                                                \
    r_;                                                            \
  })

static int futex_word;
static void* wake_futex(void* unused) {
  sleep_ms(150);
  __atomic_store_n(&futex_word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &futex_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);  // waits for nobody
  return unused;
}

// System calls by number, which libc has no function for, or a runtime that makes them itself.
static void by_number(void) {
  const struct timespec t = {0, 110000000};
  struct timespec left = {0, 105000000};
  pthread_t other;
  int ends[2];
  char data[100];
  EXPECT(pthread_create(&other, NULL, wake_futex, NULL) == 0);
  while (__atomic_load_n(&futex_word, __ATOMIC_SEQ_CST) == 0)
    BY_NUMBER(futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  pthread_join(other, NULL);
  EXPECT(BY_NUMBER(futex, &futex_word, FUTEX_WAIT_PRIVATE, 1, &t, NULL, 0) == -1 && errno == ETIMEDOUT);
  EXPECT(BY_NUMBER(futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0) == -1 && errno == EAGAIN);
  EXPECT(BY_NUMBER(nanosleep, &t, NULL) == 0);
  EXPECT(BY_NUMBER(clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL) == 0);
  EXPECT(pipe(ends) == 0);
  struct pollfd one = {.fd = ends[0], .events = POLLIN};
  EXPECT(BY_NUMBER(ppoll, &one, 1, &left, NULL, 8) == 0 && left.tv_sec == 0 && left.tv_nsec == 0);
  EXPECT(BY_NUMBER(write, ends[1], data, 60) == 60);
  EXPECT(BY_NUMBER(read, ends[0], data, 100) == 60);
  wait_row("syscall(write)")->bytes += 60;
  wait_row("syscall(read)")->bytes += 60;
  // Six arguments, all of which matter.
  const size_t page = 4096;
  char* map = (char*)syscall(SYS_mmap, NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  EXPECT(map != MAP_FAILED && (map[page] = 1) == 1);
  EXPECT(syscall(SYS_munmap, map, 2 * page) == 0);
  EXPECT(syscall(-1) == -1 && errno == ENOSYS);
  close(ends[0]), close(ends[1]);
}

static void by_failing(void) {
  void* volatile nowhere = (void*)16;
  struct sockaddr_in at;
  char c = 0;
  const int listener = listening_tcp(&at);
  close(listener);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(WAITED(connect, fd, (struct sockaddr*)&at, sizeof at) == -1 && errno == ECONNREFUSED);
  close(fd);
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  for (int i = 0; i < 10; ++i) EXPECT(MOVED(recv, ends[0], &c, 1, 0) == -1 && errno == EAGAIN);
  EXPECT(WAITED(accept, ends[0], NULL, NULL) == -1 && errno == EINVAL);
  close(ends[1]);
  EXPECT(MOVED(send, ends[0], &c, 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  EXPECT(MOVED(send, -1, &c, 1, 0) == -1 && errno == EBADF);
  EXPECT(MOVED(recv, 100000, &c, 1, 0) == -1 && errno == EBADF);
  EXPECT(MOVED(recv, 0, &c, 1, 0) == -1 && (errno == ENOTSOCK || errno == EBADF));
  EXPECT(MOVED(recvfrom, ends[0], nowhere, 1, 0, NULL, NULL) == 0);  // the end
  EXPECT(WAITED(poll, nowhere, 1, 0) == -1 && errno == EFAULT);
  EXPECT(WAITED(select, 1, nowhere, NULL, NULL, NULL) == -1 && errno == EFAULT);
  EXPECT(WAITED(epoll_wait, ends[0], nowhere, 1, 0) == -1 && errno == EINVAL);
  close(ends[0]);
}

static void by_name(void) {
  struct addrinfo *found = NULL, hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  hints.ai_flags = AI_NUMERICHOST;
  EXPECT(WAITED(getaddrinfo, "127.0.0.1", "80", &hints, &found) == 0);
  char host[100];
  EXPECT(WAITED(getnameinfo, found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST) == 0);
  EXPECT(strcmp(host, "127.0.0.1") == 0);
  freeaddrinfo(found);
  EXPECT(WAITED(getaddrinfo, "no address", "80", &hints, &found) == EAI_NONAME);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } ways[] = {{"tcp", by_tcp},
              {"asking", by_asking},
              {"datagrams", by_datagrams},
              {"udp", by_udp},
              {"rights", by_rights},
              {"polling", by_polling},
              {"nothing", by_waiting_for_nothing},
              {"events", by_events},
              {"number", by_number},
              {"failing", by_failing},
              {"name", by_name}};
  EXPECT(argc > 1);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    if (strcmp(argv[1], ways[i].name) != 0) continue;
    ways[i].run();
    print_ledger();
    return 0;
  }
  return VICTIM_FAILED;
}
