// What functions of files answer to bad arguments.
#include <dirent.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <utime.h>

#include "conform.h"

static char long_name[300], long_path[5000];
static char buffer[4096];
static int closed, directory, plain, write_only, pipe_ends[2];

static void opening(void) {
  FAILS("open nothing", open("none", O_RDONLY), ENOENT);
  FAILS("open the empty path", open("", O_RDONLY), ENOENT);
  FAILS("open below a file", open("plain/x", O_RDONLY), ENOTDIR);
  FAILS("open a directory to write", open(".", O_WRONLY), EISDIR);
  FAILS("open exclusively", open("plain", O_CREAT | O_EXCL | O_RDWR, 0600), EEXIST);
  FAILS("open a long name", open(long_name, O_RDONLY), ENAMETOOLONG);
  FAILS("open a long path", open(long_path, O_RDONLY), ENAMETOOLONG);
  FAILS("open a loop", open("loop", O_RDONLY), ELOOP);
  FAILS("open no link", open("link", O_RDONLY | O_NOFOLLOW), ELOOP);
  FAILS("open a directory that is none", open("plain", O_RDONLY | O_DIRECTORY), ENOTDIR);
  FAILS("open at a bad address", open(nowhere, O_RDONLY), EFAULT);
  FAILS("open64 at a bad address", open64(nowhere, O_RDONLY), EFAULT);
  FAILS("open a nameless file to read", open(".", O_TMPFILE | O_RDONLY, 0600), EINVAL);
  FAILS("open a FIFO without reader", open("fifo", O_WRONLY | O_NONBLOCK), ENXIO);
  FAILS("creat a directory", creat(".", 0600), EISDIR);
  FAILS("creat64 below a file", creat64("plain/x", 0600), ENOTDIR);
  FAILS("openat a closed directory", openat(closed, "plain", O_RDONLY), EBADF);
  FAILS("openat a file", openat(plain, "plain", O_RDONLY), ENOTDIR);
  FAILS("openat64 a closed directory", openat64(closed, "plain", O_RDONLY), EBADF);
  FAILS("openat at a bad address", openat(directory, nowhere, O_RDONLY), EFAULT);
  FAILS("opendir nothing", opendir("none") == NULL ? -1 : 0, ENOENT);
  FAILS("opendir a file", opendir("plain") == NULL ? -1 : 0, ENOTDIR);
  FAILS("fdopendir a file", fdopendir(plain) == NULL ? -1 : 0, ENOTDIR);
  FAILS("fdopendir a closed one", fdopendir(closed) == NULL ? -1 : 0, EBADF);
  struct rlimit limit, low;
  EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  low = limit;
  low.rlim_cur = 3;
  EXPECT(setrlimit(RLIMIT_NOFILE, &low) == 0);
  FAILS("open too many", open("plain", O_RDONLY), EMFILE);
  FAILS("dup too many", dup(plain), EMFILE);
  FAILS("pipe too many", pipe((int*)buffer), EMFILE);
  EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void reading(void) {
  struct iovec bad[2] = {{buffer, SIZE_MAX}, {buffer, 2}}, null[1] = {{nowhere, 10}}, good[1] = {{buffer, 10}};
  off_t offset = 0;
  FAILS("read -1", read(-1, buffer, sized(1)), EBADF);
  FAILS("read a closed one", read(closed, buffer, sized(1)), EBADF);
  FAILS("read one for writing", read(write_only, buffer, sized(1)), EBADF);
  FAILS("read a directory", read(directory, buffer, sized(1)), EISDIR);
  FAILS("read to a bad address", read(plain, nowhere, 10), EFAULT);
  FAILS("pread a closed one", pread(closed, buffer, sized(1), 0), EBADF);
  FAILS("pread before the start", pread(plain, buffer, sized(1), -1), EINVAL);
  FAILS("pread a pipe", pread(pipe_ends[0], buffer, sized(1), 0), ESPIPE);
  FAILS("pread64 a pipe", pread64(pipe_ends[0], buffer, sized(1), 0), ESPIPE);
  FAILS("readv a closed one", readv(closed, good, 1), EBADF);
  FAILS("readv too much", readv(plain, bad, 2), EINVAL);
  FAILS("readv to a bad address", readv(plain, null, 1), EFAULT);
  FAILS("readv a bad list", readv(plain, nowhere, 1), EFAULT);
  FAILS("readv -1 parts", readv(plain, good, (int)sized(-1)), EINVAL);
  FAILS("readv too many parts", readv(plain, good, (int)sized(IOV_MAX + 1)), EINVAL);
  GIVES("readv no parts", readv(plain, good, 0), 0);
  FAILS("preadv before the start", preadv(plain, good, 1, -1), EINVAL);
  FAILS("preadv2 with bad flags", preadv2(plain, good, 1, 0, 0x40000000), EOPNOTSUPP);
  FAILS("getdents a file", getdents64(plain, buffer, sizeof buffer), ENOTDIR);
  FAILS("readlink a file", readlink("plain", buffer, sizeof buffer), EINVAL);
  FAILS("readlink nothing", readlink("none", buffer, sizeof buffer), ENOENT);
  FAILS("sendfile a closed one", sendfile(write_only, closed, NULL, 10), EBADF);
  FAILS("sendfile to one for reading", sendfile(plain, plain, NULL, 10), EBADF);
  FAILS("copy_file_range flags", copy_file_range(plain, NULL, write_only, NULL, 1, 1), EINVAL);
  FAILS("splice without a pipe", splice(plain, &offset, write_only, NULL, 10, 0), EINVAL);
  FAILS("tee without a pipe", tee(plain, write_only, 10, 0), EINVAL);
  FAILS("vmsplice without a pipe", vmsplice(plain, good, 1, 0), EBADF);
}

static void writing(void) {
  struct iovec null[1] = {{nowhere, 10}}, good[1] = {{buffer, 1}};
  FAILS("write a closed one", write(closed, buffer, 1), EBADF);
  FAILS("write one for reading", write(plain, buffer, 1), EBADF);
  FAILS("write from a bad address", write(write_only, nowhere, 10), EFAULT);
  FAILS("write to a full device", write(open("/dev/full", O_WRONLY), buffer, 1), ENOSPC);
  FAILS("pwrite before the start", pwrite(write_only, buffer, 1, -1), EINVAL);
  FAILS("pwrite a pipe", pwrite(pipe_ends[1], buffer, 1, 0), ESPIPE);
  FAILS("pwrite64 a closed one", pwrite64(closed, buffer, 1, 0), EBADF);
  FAILS("writev from a bad address", writev(write_only, null, 1), EFAULT);
  FAILS("writev -1 parts", writev(write_only, good, (int)sized(-1)), EINVAL);
  FAILS("pwritev a pipe", pwritev(pipe_ends[1], good, 1, 0), ESPIPE);
  FAILS("pwritev2 with bad flags", pwritev2(write_only, good, 1, 0, 0x40000000), EOPNOTSUPP);
  FAILS("truncate a directory", truncate(".", 0), EISDIR);
  FAILS("truncate to less than none", truncate("plain", -1), EINVAL);
  FAILS("truncate nothing", truncate("none", 0), ENOENT);
  FAILS("ftruncate one for reading", ftruncate(plain, 0), EINVAL);
  FAILS("ftruncate a closed one", ftruncate(closed, 0), EBADF);
  FAILS("fallocate nothing", fallocate(write_only, 0, 0, 0), EINVAL);
  FAILS("fallocate a pipe", fallocate(pipe_ends[1], 0, 0, 10), ESPIPE);
  IS("posix_fallocate returns its error", posix_fallocate(closed, 0, 10), EBADF);
  IS("posix_fadvise returns its error", posix_fadvise(pipe_ends[0], 0, 0, POSIX_FADV_NORMAL), ESPIPE);
  FAILS("fsync a closed one", fsync(closed), EBADF);
  FAILS("fsync a pipe", fsync(pipe_ends[1]), EINVAL);
  FAILS("fdatasync a closed one", fdatasync(closed), EBADF);
  FAILS("fdatasync a pipe", fdatasync(pipe_ends[1]), EINVAL);
  FAILS("syncfs a closed one", syncfs(closed), EBADF);
  FAILS("sync_file_range a pipe", sync_file_range(pipe_ends[1], 0, 0, 0), ESPIPE);
  FAILS("sync_file_range flags", sync_file_range(write_only, 0, 0, 0x100), EINVAL);
}

static void looking(void) {
  struct stat st;
  struct stat64 st64;
  struct statx stx;
  struct statvfs vfs;
  FAILS("stat nothing", stat("none", &st), ENOENT);
  FAILS("stat below a file", stat("plain/x", &st), ENOTDIR);
  FAILS("stat to a bad address", stat("plain", nowhere), EFAULT);
  FAILS("stat at a bad address", stat(nowhere, &st), EFAULT);
  FAILS("stat64 a loop", stat64("loop", &st64), ELOOP);
  GIVES("lstat a loop", lstat("loop", &st), 0);
  FAILS("fstat a closed one", fstat(closed, &st), EBADF);
  FAILS("fstat64 a closed one", fstat64(closed, &st64), EBADF);
  FAILS("fstatat with bad flags", fstatat(AT_FDCWD, "plain", &st, 0x40000000), EINVAL);
  FAILS("fstatat a closed directory", fstatat(closed, "plain", &st, 0), EBADF);
  FAILS("statx with bad flags", statx(AT_FDCWD, "plain", 0x40000000, STATX_ALL, &stx), EINVAL);
  FAILS("statvfs nothing", statvfs("none", &vfs), ENOENT);
  FAILS("fstatvfs a closed one", fstatvfs(closed, &vfs), EBADF);
  FAILS("access nothing", access("none", R_OK), ENOENT);
  FAILS("access in a bad way", access("plain", 0x100), EINVAL);
  FAILS("faccessat a closed directory", faccessat(closed, "plain", R_OK, 0), EBADF);
  FAILS("euidaccess nothing", euidaccess("none", R_OK), ENOENT);
  FAILS("lseek a pipe", lseek(pipe_ends[0], 0, SEEK_CUR), ESPIPE);
  FAILS("lseek in a bad way", lseek(plain, 0, 99), EINVAL);
  FAILS("lseek before the start", lseek(plain, -1, SEEK_SET), EINVAL);
  FAILS("lseek64 a closed one", lseek64(closed, 0, SEEK_SET), EBADF);
  NULLS("getcwd into too little", getcwd(buffer, sized(2)), ERANGE);
  NULLS("realpath of nothing", realpath("none", NULL), ENOENT);
}

static void changing(void) {
  FAILS("mkdir twice", mkdir("folder", 0700), EEXIST);
  FAILS("mkdir below nothing", mkdir("none/x", 0700), ENOENT);
  FAILS("mkdirat a closed directory", mkdirat(closed, "x", 0700), EBADF);
  FAILS("rmdir what is full", rmdir("folder"), ENOTEMPTY);
  FAILS("rmdir a file", rmdir("plain"), ENOTDIR);
  FAILS("rmdir the dot", rmdir("folder/."), EINVAL);
  FAILS("unlink a directory", unlink("folder"), EISDIR);
  FAILS("unlink nothing", unlink("none"), ENOENT);
  FAILS("unlinkat with bad flags", unlinkat(AT_FDCWD, "plain", 0x40000000), EINVAL);
  FAILS("remove nothing", remove("none"), ENOENT);
  FAILS("rename nothing", rename("none", "x"), ENOENT);
  FAILS("rename a directory onto a file", rename("folder", "plain"), ENOTDIR);
  FAILS("rename a file onto a directory", rename("plain", "folder"), EISDIR);
  FAILS("rename into itself", rename("folder", "folder/inside/x"), EINVAL);
  FAILS("renameat a closed directory", renameat(closed, "plain", AT_FDCWD, "x"), EBADF);
  FAILS("renameat2 without replacing", renameat2(AT_FDCWD, "plain", AT_FDCWD, "link", RENAME_NOREPLACE), EEXIST);
  FAILS("link twice", link("plain", "folder"), EEXIST);
  FAILS("symlink twice", symlink("x", "plain"), EEXIST);
  FAILS("chmod nothing", chmod("none", 0600), ENOENT);
  FAILS("fchmod a closed one", fchmod(closed, 0600), EBADF);
  FAILS("chdir a file", chdir("plain"), ENOTDIR);
  FAILS("fchdir a closed one", fchdir(closed), EBADF);
  FAILS("mkfifo twice", mkfifo("fifo", 0600), EEXIST);
  FAILS("utimensat nothing", utimensat(AT_FDCWD, "none", NULL, 0), ENOENT);
  FAILS("mkstemp of a bad template", mkstemp(strcpy(buffer, "abc")), EINVAL);
}

static void numbers(void) {
  FAILS("close -1", close(-1), EBADF);
  FAILS("close twice", close(closed), EBADF);
  FAILS("dup a closed one", dup(closed), EBADF);
  FAILS("dup2 a closed one", dup2(closed, 9), EBADF);
  FAILS("dup2 a closed one onto itself", dup2(closed, closed), EBADF);
  FAILS("dup2 onto -1", dup2(plain, -1), EBADF);
  FAILS("dup3 onto itself", dup3(plain, plain, 0), EINVAL);
  FAILS("dup3 with bad flags", dup3(plain, 9, 1), EINVAL);
  FAILS("close_range backwards", close_range(20, 10, 0), EINVAL);
  FAILS("fcntl a closed one", fcntl(closed, F_GETFL), EBADF);
  FAILS("fcntl an unknown command", fcntl(plain, 99999, 0), EINVAL);
  FAILS("fcntl64 F_DUPFD -1", fcntl64(plain, F_DUPFD, -1), EINVAL);
  FAILS("flock a closed one", flock(closed, LOCK_SH), EBADF);
  FAILS("flock in a bad way", flock(plain, 0), EINVAL);
  FAILS("lockf one for reading", lockf(plain, F_TLOCK, 0), EBADF);
  FAILS("pipe2 with bad flags", pipe2((int*)buffer, 1), EINVAL);
  FAILS("isatty of a file", isatty(plain) ? 0 : -1, ENOTTY);
}

int main(void) {
  memset(long_name, 'a', sizeof long_name - 1);
  memset(long_path, '/', sizeof long_path - 1);
  enter_scratch();
  put_file("plain", "plain text");
  EXPECT(mkdir("folder", 0700) == 0 && mkdir("folder/inside", 0700) == 0 && mkfifo("fifo", 0600) == 0);
  EXPECT(symlink("loop", "loop") == 0 && symlink("plain", "link") == 0);
  closed = dup(0);
  directory = open(".", O_RDONLY | O_DIRECTORY);
  plain = open("plain", O_RDONLY);
  write_only = open("written", O_WRONLY | O_CREAT, 0600);
  EXPECT(directory >= 0 && plain >= 0 && write_only >= 0 && pipe(pipe_ends) == 0);
  // Far off, so that nothing that is opened meanwhile gets its number.
  EXPECT(close(closed) == 0);
  closed = 200;
  opening();
  reading();
  writing();
  looking();
  changing();
  numbers();
  leave_scratch();
  return conform_failed;
}
