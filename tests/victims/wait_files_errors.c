/* Calls functions on files with good and bad arguments, and prints what each returned and left in errno. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Bad arguments are what this is about. */
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wnonnull"

static FILE* out;
static char buffer[4096];
static struct stat st;

#define TRY(call)                                                   \
  do {                                                              \
    errno = 4711;                                                   \
    const long r_ = (long)(call);                                   \
    const int e_ = errno;                                           \
    fprintf(out, "%s = %ld, %d\n", #call, r_, e_ == 4711 ? 0 : e_); \
  } while (0)
#define TRY_POINTER(call)                                          \
  do {                                                             \
    errno = 4711;                                                  \
    const int r_ = (call) != NULL;                                 \
    const int e_ = errno;                                          \
    fprintf(out, "%s = %d, %d\n", #call, r_, e_ == 4711 ? 0 : e_); \
  } while (0)

int main(void) {
  out = fdopen(dup(1), "w");
  char* const bad = (char*)8;
  const int none = 987;
  char* volatile nothing = NULL;
  DIR* volatile no_directory = NULL;
  umask(022);

  TRY(open("missing", O_RDONLY));
  TRY(open(bad, O_RDONLY));
  TRY(open(nothing, O_RDONLY));
  TRY(open("", O_RDONLY));
  TRY(open("/", O_WRONLY));
  TRY(open("missing/x", O_CREAT | O_RDWR, 0600));
  TRY(open("/etc/passwd/x", O_RDONLY));
  TRY(openat(none, "x", O_RDONLY));
  TRY(openat(none, bad, O_RDONLY));
  TRY(creat(bad, 0600));
  const int fd = open("made", O_CREAT | O_RDWR, 0640);
  fstat(fd, &st);
  fprintf(out, "mode %o\n", st.st_mode & 07777);
  const int other = openat(AT_FDCWD, "other", O_CREAT | O_RDWR | O_EXCL, 0604);
  fstat(other, &st);
  fprintf(out, "mode %o\n", st.st_mode & 07777);
  TRY(open("made", O_CREAT | O_EXCL | O_RDWR, 0600));
  const int nameless = open(".", O_TMPFILE | O_RDWR, 0620);
  if (nameless >= 0) {
    fstat(nameless, &st);
    fprintf(out, "mode %o\n", st.st_mode & 07777);
    TRY(write(nameless, "abc", 3));
    close(nameless);
  }

  TRY(read(none, buffer, 1));
  TRY(read(-1, buffer, 1));
  TRY(read(2000000000, buffer, 1));
  TRY(write(fd, "0123456789", 10));
  TRY(write(fd, bad, 10));
  TRY(write(none, buffer, 10));
  TRY(pread(fd, bad, 10, 0));
  TRY(pread(fd, buffer, 10, -5));
  TRY(pread(fd, buffer, 10, 3));
  TRY(pwrite(fd, buffer, 10, -5));
  struct iovec parts[2] = {{buffer, 5}, {bad, 5}};
  TRY(preadv(fd, parts, 2, 0));
  TRY(preadv(fd, parts, -1, 0));
  TRY(preadv2(fd, parts, 1, 0, 1 << 30));
  TRY(readv(fd, NULL, 1));
  TRY(pwritev(none, parts, 1, 0));
  const int directory = open("/", O_RDONLY | O_DIRECTORY);
  TRY(read(directory, buffer, 10));
  TRY(lseek(fd, -1, SEEK_SET));
  TRY(lseek(fd, 5, SEEK_SET));
  TRY(lseek(fd, 0, 77));
  TRY(lseek(none, 0, SEEK_SET));

  TRY(fsync(none));
  TRY(fsync(fd));
  TRY(fdatasync(-1));
  TRY(syncfs(none));
  TRY(sync_file_range(none, 0, 0, 0));
  TRY(msync(bad, 10, MS_SYNC));
  TRY(posix_fadvise(none, 0, 0, 0));
  TRY(posix_fadvise(fd, 0, 0, 77));
  TRY(posix_fallocate(none, 0, 10));
  TRY(posix_fallocate(fd, -1, 10));
  TRY(fallocate(fd, 0, 0, 0));
  TRY(ftruncate(none, 0));
  TRY(ftruncate(fd, -1));
  TRY(truncate("missing", 0));
  TRY(truncate(bad, 0));

  TRY(stat("missing", &st));
  TRY(stat(bad, &st));
  TRY(stat("made", (struct stat*)bad));
  TRY(lstat("", &st));
  TRY(fstat(none, &st));
  TRY(fstatat(fd, "", &st, AT_EMPTY_PATH));
  TRY(fstatat(fd, "x", &st, 0));
  TRY(fstatat(AT_FDCWD, "made", &st, 1 << 30));
  struct statx sx;
  TRY(statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &sx));
  TRY(statx(AT_FDCWD, bad, 0, STATX_SIZE, &sx));
  struct statfs sf;
  TRY(statfs(bad, &sf));
  TRY(fstatfs(none, &sf));
  TRY(access("missing", R_OK));
  TRY(access(bad, R_OK));
  TRY(faccessat(AT_FDCWD, "made", 077, 0));

  TRY(unlink("missing"));
  TRY(unlink(bad));
  TRY(unlinkat(none, "x", 0));
  TRY(rename("missing", "x"));
  TRY(rename("made", bad));
  TRY(rename(bad, "x"));
  TRY(mkdir("made", 0700));
  TRY(mkdir("directory", 0751));
  stat("directory", &st);
  fprintf(out, "mode %o\n", st.st_mode & 07777);
  TRY(rmdir("made"));
  TRY(rmdir("directory"));
  TRY(link("missing", "x"));
  TRY(symlink("made", "made"));
  TRY(symlink("made", "pointer"));
  TRY(readlink("pointer", buffer, sizeof buffer));
  TRY(readlink("pointer", bad, 100));
  TRY(readlink("made", buffer, sizeof buffer));
  TRY(remove("pointer"));
  TRY(chdir("missing"));
  TRY(chdir(bad));
  TRY(fchdir(none));
  TRY(fchdir(fd));
  TRY_POINTER(opendir("missing"));
  TRY(closedir(no_directory));
  struct dirent** list;
  TRY(scandir("missing", &list, NULL, NULL));

  TRY(dup(none));
  TRY(dup2(none, 5));
  TRY(dup2(fd, -1));
  TRY(dup3(fd, fd, 0));
  TRY(fcntl(none, F_GETFD));
  TRY(fcntl(fd, F_GETFD));
  TRY(fcntl(fd, F_SETFD, FD_CLOEXEC));
  TRY(fcntl(fd, F_GETFD));
  TRY(fcntl(fd, F_DUPFD, -1));
  TRY(fcntl(fd, F_SETLKW, bad));
  TRY(flock(none, LOCK_SH));
  TRY(flock(fd, LOCK_EX | LOCK_NB));
  TRY(lockf(none, F_LOCK, 0));
  TRY(lockf(fd, F_TEST, 0));

  TRY(sendfile(fd, none, NULL, 10));
  TRY(sendfile(fd, other, (off_t*)bad, 10));
  TRY(copy_file_range(none, NULL, fd, NULL, 10, 0));
  TRY(splice(fd, NULL, other, NULL, 10, 0));
  TRY(tee(fd, other, 10, 0));
  TRY(vmsplice(fd, parts, 1, 0));

  TRY_POINTER(fopen("missing", "r"));
  TRY_POINTER(fopen("made", "?"));
  TRY_POINTER(fopen(bad, "r"));
  FILE* f = fopen("made", "r");
  TRY(fputc('x', f));
  TRY(fputs("x", f));
  TRY(fwrite("x", 1, 1, f));
  TRY(fflush(f));
  TRY(getc(f));
  TRY(fseek(f, -100, SEEK_SET));
  TRY(fseek(f, 1, SEEK_SET));
  TRY(fread(buffer, 1, 100, f));
  TRY(getc(f));
  TRY(fclose(f));
  f = fopen("/", "r");
  TRY(getc(f));
  TRY_POINTER(fgets(buffer, 10, f));
  TRY(fclose(f));
  f = fopen("/dev/full", "w");
  TRY(fputs("no room", f));
  TRY(fflush(f));
  TRY(fclose(f));
  TRY(setvbuf(stdout, NULL, _IONBF, 0));
  f = fmemopen(buffer, sizeof buffer, "w+");
  TRY(fputs("memory", f));
  rewind(f);
  TRY(getc(f));
  TRY(fclose(f));

  TRY(close(none));
  TRY(close(-1));
  TRY(close(fd));
  TRY(close(fd));
  TRY(close_range(20, 10, 0));
  TRY(close_range(5000, ~0U, 0));
  return fclose(out) == 0 ? 0 : 1;
}
