// What files, pipes and descriptors of other kinds do with good arguments.
#include <dirent.h>
#include <ftw.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include "conform.h"

static char buffer[200000];

static int mode_of(int fd) {
  struct stat st;
  EXPECT(fd >= 0 && fstat(fd, &st) == 0);
  return (int)(st.st_mode & 07777);
}
static int mode_and_close(int fd) {
  const int mode = mode_of(fd);
  EXPECT(close(fd) == 0);
  return mode;
}

// The mode is the last argument, and only there when it is meant.
static void modes(void) {
  const mode_t before = umask(027);
  IS("mode of open", mode_and_close(open("m1", O_CREAT | O_WRONLY, 0666)), 0640);
  IS("mode of open64", mode_and_close(open64("m2", O_CREAT | O_WRONLY, 0777)), 0750);
  IS("mode of openat", mode_and_close(openat(AT_FDCWD, "m3", O_CREAT | O_RDWR, 0604)), 0600);
  IS("mode of openat64", mode_and_close(openat64(AT_FDCWD, "m4", O_CREAT | O_RDWR, 0444)), 0440);
  IS("mode of creat", mode_and_close(creat("m5", 0666)), 0640);
  IS("mode of creat64", mode_and_close(creat64("m6", 0622)), 0600);
  IS("mode of a nameless file", mode_and_close(open(".", O_TMPFILE | O_RDWR, 0666)), 0640);
  IS("mode of a directory", (mkdir("m7", 0777), mode_and_close(open("m7", O_RDONLY))), 0750);
  IS("mode of mkstemp", mode_and_close(mkstemp(strcpy(buffer, "m8.XXXXXX"))), 0600);
  FILE* file = fopen("m9", "w");
  IS("mode of fopen", mode_of(fileno(file)), 0640);
  fclose(file);
  umask(before);
}

static void flags_of_descriptors(void) {
  const int kept = open("plain", O_RDONLY | O_CLOEXEC), other = open("plain", O_RDONLY);
  IS("O_CLOEXEC", fcntl(kept, F_GETFD), FD_CLOEXEC);
  IS("without O_CLOEXEC", fcntl(other, F_GETFD), 0);
  GIVES("dup2 onto itself", dup2(kept, kept), kept);
  IS("dup2 onto itself keeps the flag", fcntl(kept, F_GETFD), FD_CLOEXEC);
  GIVES("dup2 onto a number", dup2(kept, 100), 100);
  IS("dup2 drops the flag", fcntl(100, F_GETFD), 0);
  GIVES("dup2 closes what is there", dup2(other, 100), 100);
  GIVES("dup3", dup3(other, 101, O_CLOEXEC), 101);
  IS("dup3 sets the flag", fcntl(101, F_GETFD), FD_CLOEXEC);
  GIVES("F_DUPFD", fcntl(other, F_DUPFD, 110), 110);
  GIVES("F_DUPFD_CLOEXEC", fcntl(other, F_DUPFD_CLOEXEC, 110), 111);
  IS("F_DUPFD_CLOEXEC sets the flag", fcntl(111, F_GETFD), FD_CLOEXEC);
  GIVES("read moves all duplicates", read(other, buffer, sized(3)), 3);
  GIVES("as lseek says", lseek(110, 0, SEEK_CUR), 3);
  GIVES("but not what was opened by itself", lseek(kept, 0, SEEK_CUR), 0);
  GIVES("close_range", close_range(100, 120, 0), 0);
  FAILS("close_range closed", fcntl(110, F_GETFD), EBADF);
  GIVES("close_range to set a flag", close_range((unsigned)other, (unsigned)other, CLOSE_RANGE_CLOEXEC), 0);
  IS("it has the flag", fcntl(other, F_GETFD), FD_CLOEXEC);
  GIVES("close", close(kept), 0);
  IS("the lowest number is used again", open("plain", O_RDONLY), kept);
  GIVES("F_SETFL", fcntl(kept, F_SETFL, O_NONBLOCK | O_NOATIME), 0);
  HOLDS("F_GETFL", (fcntl(kept, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == (O_RDONLY | O_NONBLOCK));
  close(kept);
  close(other);
}

static void positions(void) {
  const int fd = open("positions", O_RDWR | O_CREAT | O_TRUNC, 0600);
  struct iovec parts[3] = {{(char*)"one ", 4}, {(char*)"", 0}, {(char*)"three", 5}};
  GIVES("write", write(fd, "0123456789", 10), 10);
  GIVES("pwrite", pwrite(fd, "ab", 2, 4), 2);
  GIVES("pwrite does not move", lseek(fd, 0, SEEK_CUR), 10);
  GIVES("lseek from the end", lseek(fd, -4, SEEK_END), 6);
  GIVES("read to the end", read(fd, buffer, sized(100)), 4);
  GIVES("read at the end", read(fd, buffer, sized(100)), 0);
  GIVES("read nothing", read(fd, buffer, sized(0)), 0);
  GIVES("pread", pread(fd, buffer, sized(4), 3), 4);
  HOLDS("what pwrite wrote", memcmp(buffer, "3ab6", 4) == 0);
  GIVES("lseek beyond the end", lseek64(fd, 20, SEEK_SET), 20);
  GIVES("writev", writev(fd, parts, 3), 9);
  GIVES("it moves", lseek(fd, 0, SEEK_CUR), 29);
  GIVES("the hole reads as zeros", pread64(fd, buffer, sized(12), 9), 12);
  HOLDS("zeros", memcmp(buffer, "9\0\0\0\0\0\0\0\0\0\0o", 12) == 0);
  char first[5] = "", second[5] = "";
  struct iovec into[2] = {{first, 4}, {second, 4}};
  GIVES("preadv", preadv(fd, into, 2, 20), 8);
  HOLDS("preadv's parts", strcmp(first, "one ") == 0 && strcmp(second, "thre") == 0);
  GIVES("preadv2 where it stands", (lseek(fd, 20, SEEK_SET), preadv2(fd, into, 1, -1, 0)), 4);
  GIVES("preadv2 moved", lseek(fd, 0, SEEK_CUR), 24);
  GIVES("pwritev2 appends", pwritev2(fd, parts, 1, 0, RWF_APPEND), 4);
  GIVES("pwritev2 did not move", lseek(fd, 0, SEEK_CUR), 24);
  GIVES("size after it", lseek(fd, 0, SEEK_END), 33);
  GIVES("ftruncate", ftruncate(fd, 5), 0);
  GIVES("it does not move", lseek(fd, 0, SEEK_CUR), 33);
  GIVES("truncate", truncate("positions", 7), 0);
  GIVES("posix_fallocate", posix_fallocate(fd, 0, 100), 0);
  GIVES("size after all", lseek(fd, 0, SEEK_END), 100);
  GIVES("fsync", fsync(fd), 0);
  GIVES("fdatasync", fdatasync(fd), 0);
  GIVES("close", close(fd), 0);
  const int append = open("positions", O_WRONLY | O_APPEND);
  GIVES("append starts at 0", lseek(append, 0, SEEK_CUR), 0);
  GIVES("append", write(append, "xyz", 3), 3);
  GIVES("append moves to the end", lseek(append, 0, SEEK_CUR), 103);
  GIVES("pwrite appends as well", pwrite(append, "xyz", 3, 0), 3);
  GIVES("as the size says", lseek(append, 0, SEEK_END), 106);
  close(append);
}

static void copies(void) {
  const int from = open("plain", O_RDONLY), to = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0600);
  int ends[2], more[2];
  EXPECT(pipe(ends) == 0 && pipe(more) == 0);
  off_t at = 6;
  GIVES("sendfile", sendfile(to, from, &at, 100), 4);
  IS("its offset", at, 10);
  GIVES("sendfile does not move", lseek(from, 0, SEEK_CUR), 0);
  GIVES("sendfile64 where it stands", sendfile64(to, from, NULL, 5), 5);
  GIVES("it moves", lseek(from, 0, SEEK_CUR), 5);
  off64_t in = 0, out = 0;
  GIVES("copy_file_range", copy_file_range(from, &in, to, &out, 5, 0), 5);
  HOLDS("its offsets", in == 5 && out == 5);
  GIVES("splice into a pipe", splice(from, NULL, ends[1], NULL, 100, 0), 5);
  GIVES("tee", tee(ends[0], more[1], 100, 0), 5);
  in = 0;
  GIVES("splice out of a pipe", splice(ends[0], NULL, to, &in, 100, 0), 5);
  GIVES("what tee left", read(more[0], buffer, sized(100)), 5);
  GIVES("nothing to splice", splice(ends[0], NULL, to, &in, 1, SPLICE_F_NONBLOCK) == -1 ? (errno = 77, 1) : 0, 1);
  close(from), close(to), close(ends[0]), close(ends[1]), close(more[0]), close(more[1]);
}

static volatile int broken;
static void on_pipe(int number) { broken += number == SIGPIPE; }

static void pipes(void) {
  int ends[2];
  EXPECT(pipe2(ends, O_CLOEXEC) == 0);
  IS("pipe2's flag", fcntl(ends[0], F_GETFD), FD_CLOEXEC);
  GIVES("write to a pipe", write(ends[1], "abcdef", 6), 6);
  int waiting = 0;
  GIVES("FIONREAD", ioctl(ends[0], FIONREAD, &waiting), 0);
  IS("bytes in the pipe", waiting, 6);
  GIVES("short read from a pipe", read(ends[0], buffer, sized(100)), 6);
  EXPECT(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  FAILS("read from an empty pipe", read(ends[0], buffer, sized(100)), EAGAIN);
  GIVES("short write to a pipe", write(ends[1], buffer, 100000), 65536);
  FAILS("write to a full pipe", write(ends[1], buffer, 1), EAGAIN);
  long all = 0;
  for (ssize_t n; (n = read(ends[0], buffer, sized(1000))) > 0;) all += n;
  IS("all comes out", all, 65536);
  struct sigaction action = {.sa_handler = on_pipe}, old;
  EXPECT(sigaction(SIGPIPE, &action, &old) == 0);
  EXPECT(close(ends[0]) == 0);
  FAILS("write to a broken pipe", write(ends[1], "x", 1), EPIPE);
  IS("SIGPIPE", broken, 1);
  struct iovec part = {(char*)"x", 1};
  FAILS("writev to a broken pipe", writev(ends[1], &part, 1), EPIPE);
  IS("SIGPIPE again", broken, 2);
  action.sa_handler = SIG_IGN;
  EXPECT(sigaction(SIGPIPE, &action, NULL) == 0);
  FAILS("write to a broken pipe with SIGPIPE ignored", write(ends[1], "x", 1), EPIPE);
  EXPECT(sigaction(SIGPIPE, &old, NULL) == 0 && close(ends[1]) == 0);
  EXPECT(pipe(ends) == 0 && write(ends[1], "last", 4) == 4 && close(ends[1]) == 0);
  GIVES("what was in a pipe", read(ends[0], buffer, sized(100)), 4);
  GIVES("end of a pipe", read(ends[0], buffer, sized(100)), 0);
  close(ends[0]);
}

static volatile int alarms;
static void on_alarm(int number) { alarms += number == SIGALRM; }

static void file_locks(void) {
  const int a = open("plain", O_RDWR), b = open("plain", O_RDWR);
  GIVES("flock", flock(a, LOCK_EX), 0);
  FAILS("flock of another", flock(b, LOCK_EX | LOCK_NB), EWOULDBLOCK);
  GIVES("flock to share", flock(a, LOCK_SH), 0);
  GIVES("flock of another to share", flock(b, LOCK_SH | LOCK_NB), 0);
  struct sigaction action = {.sa_handler = on_alarm};
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
  const struct itimerval soon = {.it_value.tv_usec = 30000};
  alarms = 0;
  setitimer(ITIMER_REAL, &soon, NULL);
  FAILS("flock interrupted", flock(a, LOCK_EX), EINTR);
  IS("by its signal", alarms, 1);
  struct flock own = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 5}, asked = own;
  GIVES("F_OFD_SETLK", fcntl(a, F_OFD_SETLK, &own), 0);
  FAILS("F_OFD_SETLK of another", fcntl(b, F_OFD_SETLK, &own), EAGAIN);
  own.l_type = F_UNLCK;
  GIVES("F_OFD_SETLK to unlock", fcntl(a, F_OFD_SETLK, &own), 0);
  int ready[2], release[2];
  EXPECT(pipe(ready) == 0 && pipe(release) == 0);
  const pid_t child = fork();
  if (child == 0) {
    struct flock held = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 5};
    close(release[1]);
    if (fcntl(a, F_SETLK, &held) != 0 || write(ready[1], "r", 1) != 1) _exit(1);
    _exit(read(release[0], buffer, 1) == 1 ? 0 : 1);
  }
  EXPECT(read(ready[0], buffer, 1) == 1);
  GIVES("F_GETLK", fcntl(a, F_GETLK, &asked), 0);
  HOLDS("F_GETLK's answer", asked.l_type == F_WRLCK && asked.l_pid == child);
  own.l_type = F_WRLCK;
  FAILS("F_SETLK of what another process holds", fcntl(a, F_SETLK, &own), EAGAIN);
  FAILS("lockf of what another process holds", lockf(a, F_TLOCK, 2), EAGAIN);
  setitimer(ITIMER_REAL, &soon, NULL);
  FAILS("F_SETLKW interrupted", fcntl(a, F_SETLKW, &own), EINTR);
  IS("by its signal, again", alarms, 2);
  EXPECT(write(release[1], "g", 1) == 1);
  GIVES("F_SETLKW waits", fcntl(a, F_SETLKW, &own), 0);
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  IS("the holder", status, 0);
  close(a), close(b), close(ready[0]), close(ready[1]), close(release[0]), close(release[1]);
}

static void events(void) {
  uint64_t count = 3;
  const int event = eventfd(2, EFD_NONBLOCK | EFD_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, 0);
  GIVES("write to an eventfd", write(event, &count, sizeof count), 8);
  FAILS("too little for an eventfd", read(event, buffer, sized(4)), EINVAL);
  GIVES("read an eventfd", read(event, &count, sizeof count), 8);
  IS("its count", count, 5);
  FAILS("read an eventfd again", read(event, &count, sizeof count), EAGAIN);
  eventfd_t value = 0;
  GIVES("eventfd_write", eventfd_write(event, 4), 0);
  GIVES("eventfd_read", eventfd_read(event, &value), 0);
  IS("its value", value, 4);
  const struct itimerspec in = {.it_value.tv_nsec = 20000000};
  const int64_t start = now_ns();
  GIVES("timerfd_settime", timerfd_settime(timer, 0, &in, NULL), 0);
  GIVES("read a timerfd", read(timer, &count, sizeof count), 8);
  HOLDS("it expired once, in time", count == 1 && now_ns() - start >= 20000000);
  const int watch = inotify_init1(IN_NONBLOCK);
  HOLDS("inotify_add_watch", inotify_add_watch(watch, ".", IN_CREATE) >= 0);
  FAILS("nothing happened", read(watch, buffer, sized(sizeof buffer)), EAGAIN);
  put_file("event", "");
  HOLDS("an event",
        read(watch, buffer, sized(sizeof buffer)) > 0 && strcmp(((struct inotify_event*)buffer)->name, "event") == 0);
  FAILS("too little for an event", (put_file("event2", ""), read(watch, buffer, sized(3))), EINVAL);
  close(event), close(timer), close(watch);
}

static int visited;
static int visit(const char* path, const struct stat* st, int flag, struct FTW* where) {
  (void)path, (void)st, (void)where;
  visited += flag == FTW_F;
  return 0;
}

static void directories(void) {
  EXPECT(mkdir("list", 0700) == 0 && chdir("list") == 0);
  put_file("a", "1"), put_file("b", "2"), put_file("c", "3");
  DIR* list = opendir(".");
  int names = 0;
  errno = 0;
  for (struct dirent* e; (e = readdir(list)) != NULL;) names += e->d_name[0] != '.';
  IS("readdir", names, 3);
  rewinddir(list);
  HOLDS("readdir after rewinddir", readdir(list) != NULL && errno == 0);
  const int fd = dirfd(list);
  struct stat st;
  GIVES("fstatat by a directory", fstatat(fd, "b", &st, 0), 0);
  GIVES("closedir", closedir(list), 0);
  FAILS("closedir closed it", fcntl(fd, F_GETFD), EBADF);
  struct dirent** sorted = NULL;
  IS("scandir", scandir(".", &sorted, NULL, alphasort), 5);
  HOLDS("sorted", strcmp(sorted[4]->d_name, "c") == 0);
  for (int i = 0; i < 5; ++i) free(sorted[i]);
  free(sorted);
  GIVES("rename", rename("a", "c"), 0);
  FAILS("what was renamed", access("a", F_OK), ENOENT);
  GIVES("link", link("c", "d"), 0);
  GIVES("links of it", (stat("d", &st), st.st_nlink), 2);
  GIVES("symlink", symlink("target", "s"), 0);
  GIVES("readlink cuts", readlink("s", buffer, sized(3)), 3);
  GIVES("remove a file", remove("d"), 0);
  GIVES("mkdir", mkdir("e", 0700), 0);
  IS("remove a directory", remove("e"), 0);
  GIVES("nftw", nftw("..", visit, 10, FTW_PHYS), 0);
  HOLDS("files that it visited", visited >= 10);
  GIVES("chdir", chdir(".."), 0);
  GIVES("a relative path afterwards", access("list/c", R_OK), 0);
}

int main(void) {
  burn_beside(1);
  enter_scratch();
  put_file("plain", "plain text");
  modes();
  flags_of_descriptors();
  positions();
  copies();
  pipes();
  file_locks();
  events();
  directories();
  leave_scratch();
  return conform_failed;
}
