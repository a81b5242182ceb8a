/* Uses files in every way there is, in the working directory, and prints its own ledger: "FILE.opens N" and so on.
   wait_files all | many COUNT | stale | fifo | late-fifo | fd NUMBER */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[1 << 16];

static void fact(const char* file, const char* what, long n) {
  char line[300];
  int bytes = snprintf(line, sizeof line, "%s.%s %ld\n", file, what, n);
  /* Not through stdio or libc: what this program writes about itself is no part of its ledger. */
  long r;
  __asm__ volatile("syscall" : "=a"(r) : "a"(SYS_write), "D"(1L), "S"(line), "d"((long)bytes) : "rcx", "r11", "memory");
}

static long raw3(long n, long a, long b, long c) {
  long r;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return r;
}

static void check(int good, const char* what) {
  if (!good) {
    perror(what);
    exit(3);
  }
}

static void make_file(const char* path, long bytes) {
  long fd = raw3(SYS_open, (long)path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  check(fd >= 0, path);
  memset(buffer, 'x', sizeof buffer);
  for (long i = 79; i < (long)sizeof buffer; i += 80) buffer[i] = '\n';
  for (long left = bytes; left > 0;) left -= raw3(SYS_write, fd, (long)buffer, left < 65520 ? left : 65520);
  raw3(SYS_close, fd, 0, 0);
}

enum { kThreads = 4, kThreadReads = 3000 };

static void* read_at(void* argument) {
  char here[100];
  int fd = open("threads", O_RDONLY);
  check(fd >= 0, "threads");
  for (long i = 0; i < kThreadReads; ++i) check(pread(fd, here, 100, i * 100) == 100, "pread");
  close(fd);
  return argument;
}

static void threads(void) {
  make_file("threads", kThreadReads * 100);
  pthread_t all[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, read_at, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
  fact("threads", "opens", kThreads);
  fact("threads", "reads", kThreads * kThreadReads);
  fact("threads", "read_bytes", kThreads * kThreadReads * 100);
  fact("threads", "sequential_reads", kThreads * kThreadReads);
}

/* Two names that share a number one after the other, while another number goes on with the first. */
static void reuse(void) {
  make_file("first", 1000);
  make_file("second", 1000);
  int fd = open("first", O_RDONLY), other = dup(fd);
  check(read(fd, buffer, 10) == 10, "first");
  close(fd);
  int again = open("second", O_RDONLY);
  check(again == fd, "the same number");
  for (int i = 0; i < 7; ++i) check(read(again, buffer, 20) == 20, "second");
  for (int i = 0; i < 5; ++i) check(read(other, buffer, 30) == 30, "first by its other number");
  int moved = fcntl(again, F_DUPFD_CLOEXEC, 100);
  check(dup2(other, again) == again, "dup2");
  check(read(again, buffer, 40) == 40 && read(moved, buffer, 50) == 50, "after dup2");
  close(again);
  close(other);
  close_range((unsigned)moved, (unsigned)moved, 0);
  fact("first", "opens", 1);
  fact("first", "reads", 7);
  fact("first", "read_bytes", 10 + 5 * 30 + 40);
  fact("second", "opens", 1);
  fact("second", "reads", 8);
  fact("second", "read_bytes", 7 * 20 + 50);
}

static void writing(void) {
  int fd = open("appended", O_CREAT | O_WRONLY | O_APPEND, 0600);
  for (int i = 0; i < 9; ++i) check(write(fd, buffer, 11) == 11, "append");
  struct iovec parts[2] = {{buffer, 5}, {buffer, 6}};
  check(writev(fd, parts, 2) == 11, "writev");
  check(fsync(fd) == 0 && fdatasync(fd) == 0, "fsync");
  close(fd);
  fact("appended", "opens", 1);
  fact("appended", "writes", 10);
  fact("appended", "write_bytes", 110);
  fact("appended", "syncs", 2);
  fd = creat("placed", 0600);
  check(pwrite(fd, buffer, 100, 0) == 100 && pwrite(fd, buffer, 100, 100) == 100, "pwrite");
  check(pwrite(fd, buffer, 100, 5000) == 100 && pwritev(fd, parts, 2, 5100) == 11, "pwritev");
  check(ftruncate(fd, 10) == 0, "ftruncate");
  close(fd);
  fact("placed", "opens", 1);
  fact("placed", "writes", 4);
  fact("placed", "write_bytes", 311);
  fact("placed", "sequential_writes", 3);
}

static void places(void) {
  make_file("places", 60000);
  int fd = open("places", O_RDONLY);
  struct iovec parts[2] = {{buffer, 5}, {buffer + 5, 6}};
  check(readv(fd, parts, 2) == 11 && preadv(fd, parts, 2, 40) == 11 && preadv2(fd, parts, 2, -1, 0) == 11, "readv");
  check(lseek(fd, 0, SEEK_CUR) == 22 && read(fd, buffer, 8) == 8, "where it stands");
  for (int i = 0; i < 6; ++i) check(lseek(fd, i * 9000, SEEK_SET) >= 0 && read(fd, buffer, 7) == 7, "lseek");
  close(fd);
  fact("places", "opens", 1);
  fact("places", "reads", 10);
  fact("places", "read_bytes", 33 + 8 + 42);
  fact("places", "sequential_reads", 3);
  fact("places", "seeks", 6);
}

static void between(void) {
  make_file("source", 50000);
  int from = open("source", O_RDONLY), to = open("target", O_CREAT | O_RDWR, 0600);
  off_t at = 1000;
  check(sendfile(to, from, &at, 2000) == 2000 && at == 3000, "sendfile");
  loff_t source = 0, target = 10000;
  check(copy_file_range(from, &source, to, &target, 3000, 0) == 3000, "copy_file_range");
  close(from);
  close(to);
  fact("source", "opens", 1);
  fact("source", "reads", 2);
  fact("source", "read_bytes", 5000);
  fact("target", "opens", 1);
  fact("target", "writes", 2);
  fact("target", "write_bytes", 5000);
}

static void mapped(void) {
  make_file("mapped", 40000);
  int fd = open("mapped", O_RDONLY);
  const char* at = mmap(NULL, 40000, PROT_READ, MAP_SHARED, fd, 0);
  check(at != MAP_FAILED, "mmap");
  long sum = 0;
  for (int i = 0; i < 40000; ++i) sum += at[i];
  check(sum > 0, "mapped");
  munmap((void*)at, 40000);
  close(fd);
  fact("mapped", "opens", 1);
  fact("mapped", "reads", 0);
  fact("mapped", "read_bytes", 0);
}

static void streams(void) {
  const long size = 123456;
  make_file("lines", size);
  long read = 0;
  FILE* f = fopen("lines", "r");
  while (fgets(buffer, 200, f) != NULL) read += (long)strlen(buffer);
  fclose(f);
  check(read == size, "fgets");
  f = fopen("lines", "r");
  char* line = NULL;
  size_t room = 0;
  for (ssize_t n; (n = getline(&line, &room, f)) > 0;) read += n;
  fclose(f);
  f = fopen("lines", "r");
  while (getc(f) != EOF) ++read;
  fclose(f);
  f = fopen("lines", "r");
  while (getc_unlocked(f) != EOF) ++read;
  fclose(f);
  f = fopen("lines", "r");
  for (size_t n; (n = fread(buffer, 1, 777, f)) > 0;) read += (long)n;
  fclose(f);
  f = fopen("lines", "r");
  for (size_t n; (n = fread(buffer, 1, 30000, f)) > 0;) read += (long)n;
  fclose(f);
  check(read == 6 * size, "all of the lines");
  fact("lines", "opens", 6);
  fact("lines", "read_bytes", 6 * size);
  /* Longer than the buffer of the stream. */
  f = fopen("lines", "r");
  free(line);
  line = NULL;
  room = 0;
  check(getdelim(&line, &room, 'q', f) == size, "getdelim");
  fclose(f);
  fact("lines", "opens", 1);
  fact("lines", "read_bytes", size);
  free(line);

  f = fopen("printed", "w");
  for (int i = 0; i < 3000; ++i) {
    fputs("twelve bytes", f);
    fputc('!', f);
    fwrite("and ten...", 1, 10, f);
    putc_unlocked('\n', f);
  }
  check(fwrite(buffer, 1, 30000, f) == 30000 && fflush(f) == 0 && fflush(f) == 0, "fwrite");
  fputs("the end", f);
  fclose(f);
  fact("printed", "opens", 1);
  fact("printed", "write_bytes", 3000 * 24 + 30000 + 7);

  f = fopen("sought", "w+");
  fputs("0123456789", f);
  rewind(f);
  check(getc(f) == '0' && fseek(f, 5, SEEK_SET) == 0 && getc(f) == '5', "fseek");
  fclose(f);
  fact("sought", "opens", 1);
  fact("sought", "write_bytes", 10);
}

static void names(void) {
  mkdir("sub", 0700);
  make_file("sub/relative", 100);
  make_file("sub/at", 100);
  check(chdir("sub") == 0, "chdir");
  int fd = open("./relative", O_RDONLY);
  check(read(fd, buffer, 12) == 12, "relative");
  close(fd);
  fd = open("../sub//relative", O_RDONLY);
  check(read(fd, buffer, 13) == 13, "relative");
  close(fd);
  check(chdir("..") == 0, "chdir back");
  int directory = open("sub", O_RDONLY | O_DIRECTORY);
  check(fchdir(directory) == 0, "fchdir");
  fd = open("relative", O_RDONLY);
  check(read(fd, buffer, 14) == 14, "relative");
  close(fd);
  check(chdir("..") == 0, "chdir back");
  fd = openat(directory, "at", O_RDONLY);
  check(read(fd, buffer, 15) == 15, "at");
  close(fd);
  close(directory);
  fact("sub/relative", "opens", 3);
  fact("sub/relative", "read_bytes", 39);
  fact("sub/at", "opens", 1);
  fact("sub/at", "read_bytes", 15);
  make_file("deleted", 100);
  fd = open("deleted", O_RDONLY);
  unlink("deleted");
  check(read(fd, buffer, 16) == 16, "deleted");
  close(fd);
  fact("deleted", "opens", 1);
  fact("deleted", "read_bytes", 16);
  for (int i = 0; i < 50; ++i) {
    char path[40];
    snprintf(path, sizeof path, "sub/missing-%d", i);
    check(open(path, O_RDONLY) == -1, "missing");
  }
}

/* What a forked child and a program that it becomes do with descriptors that they did not open. */
static void children(const char* self) {
  make_file("inherited", 30000);
  int fd = open("inherited", O_RDONLY);
  check(read(fd, buffer, 100) == 100, "inherited");
  pid_t child = fork();
  if (child == 0) {
    make_file("/dev/null", 0);
    for (int i = 0; i < 200; ++i) free(malloc(100000));
    usleep(1000); /* long enough to be told */
    for (int i = 0; i < 20; ++i) check(read(fd, buffer, 100) == 100, "inherited, in a child");
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  fact("inherited", "opens", 1);
  fact("inherited", "read_bytes", 100 + 2000);
  make_file("executed", 30000);
  fd = open("executed", O_RDONLY);
  if ((child = fork()) == 0) {
    char number[20];
    snprintf(number, sizeof number, "%d", fd);
    execl(self, self, "fd", number, (char*)NULL);
    _exit(9);
  }
  waitpid(child, &status, 0);
  check(status == 0, "the executed one");
  fact("executed", "opens", 1);
  fact("executed", "read_bytes", 3000);
}

static void many(int count) {
  char path[100];
  for (int i = 0; i < 5; ++i) {
    snprintf(path, sizeof path, "d%d", i);
    mkdir(path, 0700);
  }
  for (int i = 0; i < count; ++i) {
    snprintf(path, sizeof path, "d%d/file-%d", i % 5, i);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    check(fd >= 0 && write(fd, buffer, 10) == 10, path);
    close(fd);
  }
}

/* Closed and opened past libc: the number is another file's, and only the kernel knows. */
static void stale(void) {
  make_file("before", 1000);
  make_file("after", 1000);
  int fd = open("before", O_RDONLY);
  check(pread(fd, buffer, 10, 0) == 10, "before");
  raw3(SYS_close, fd, 0, 0);
  check(raw3(SYS_open, (long)"after", O_RDONLY, 0) == fd, "the same number");
  for (int i = 0; i < 100000; ++i) check(pread(fd, buffer, 10, 0) == 10, "after");
}

/* Opened by a path, and no file: what is read comes when somebody writes it. */
static void fifo(void) {
  check(mkfifo("fifo", 0600) == 0, "mkfifo");
  int fd = open("fifo", O_RDWR);
  pid_t child = fork();
  if (child == 0) {
    usleep(60000);
    check(write(fd, buffer, 100) == 100, "the other end");
    _exit(0);
  }
  check(read(fd, buffer, 1000) == 100, "fifo");
  waitpid(child, NULL, 0);
}

// The open itself waits, for the other end.
static void late_fifo(void) {
  check(mkfifo("fifo", 0600) == 0, "mkfifo");
  pid_t child = fork();
  if (child == 0) {
    usleep(60000);
    int end = open("fifo", O_WRONLY);
    check(write(end, buffer, 100) == 100, "the other end");
    _exit(0);
  }
  int fd = open("fifo", O_RDONLY);
  check(read(fd, buffer, 1000) == 100, "fifo");
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (strcmp(argv[1], "all") == 0) {
    threads();
    reuse();
    writing();
    places();
    between();
    mapped();
    streams();
    names();
    children(argv[0]);
  } else if (strcmp(argv[1], "many") == 0) {
    many(atoi(argv[2]));
  } else if (strcmp(argv[1], "stale") == 0) {
    stale();
  } else if (strcmp(argv[1], "fifo") == 0) {
    fifo();
  } else if (strcmp(argv[1], "late-fifo") == 0) {
    late_fifo();
  } else if (strcmp(argv[1], "fd") == 0) {
    for (int i = 0; i < 30; ++i) check(read(atoi(argv[2]), buffer, 100) == 100, "a descriptor from elsewhere");
  } else {
    return 2;
  }
  return 0;
}
