// Streams: buffering, reading in all ways, errors, and the descriptors below them.
#include <locale.h>
#include <stdio_ext.h>
#include <wchar.h>

#include "conform.h"

static char text[70000], back[70000];

static void reading(void) {
  put_file("lines", "first line\nsecond\n\nfourth without end");
  FILE* f = fopen("lines", "r");
  char line[12];
  char* long_line = NULL;
  size_t room = 0;
  EXPECT(f != NULL);
  IS("getc", getc(f), 'f');
  IS("ungetc", ungetc('F', f), 'F');
  IS("fgetc", fgetc(f), 'F');
  HOLDS("fgets cuts", fgets(line, (int)sized(6), f) != NULL && strcmp(line, "irst ") == 0);
  IS("ftell", ftell(f), 6);
  IS("getline", getline(&long_line, &room, f), 5);
  HOLDS("its line", strcmp(long_line, "line\n") == 0);
  IS("fread", fread(line, sized(1), 3, f), 3);
  HOLDS("what fread read", memcmp(line, "sec", 3) == 0);
  IS("getdelim", getdelim(&long_line, &room, 'd', f), 3);
  HOLDS("fgets of what is left", fgets(line, (int)sized(sizeof line), f) != NULL && strcmp(line, "\n") == 0);
  HOLDS("fgets of an empty line", fgets(line, (int)sized(sizeof line), f) != NULL && strcmp(line, "\n") == 0);
  IS("fseek", fseek(f, -3, SEEK_END), 0);
  IS("fread at the end", fread(line, 1, sized(10), f), 3);
  HOLDS("end of file", feof(f) && !ferror(f));
  IS("getc at the end", getc(f), EOF);
  clearerr(f);
  HOLDS("clearerr", !feof(f));
  IS("getline at the end", getline(&long_line, &room, f), -1);
  rewind(f);
  int number = 0;
  IS("fscanf", fscanf(f, "%11s%n", line, &number), 1);
  HOLDS("its word", strcmp(line, "first") == 0 && number == 5);
  const int fd = fileno(f);
  IS("fclose", fclose(f), 0);
  FAILS("fclose closed the descriptor", fcntl(fd, F_GETFD), EBADF);
  free(long_line);
}

static void large(void) {
  for (size_t i = 0; i < sizeof text; ++i) text[i] = (char)('a' + i % 23);
  FILE* f = fopen("large", "w+");
  IS("fwrite beyond the buffer", fwrite(text, 1, sizeof text, f), sizeof text);
  IS("fflush", fflush(f), 0);
  rewind(f);
  IS("fread beyond the buffer", fread(back, sized(7), sizeof back / 7, f), sizeof back / 7);
  HOLDS("the same came back", memcmp(text, back, sizeof back) == 0);
  IS("ftello", ftello(f), sizeof text);
  IS("fseeko", fseeko(f, 100, SEEK_SET), 0);
  IS("fputc in the midst", fputc('!', f), '!');
  IS("fseek to change direction", fseek(f, 0, SEEK_CUR), 0);
  IS("fread_unlocked", fread_unlocked(back, 1, sized(5), f), 5);
  HOLDS("after what was put", memcmp(back, text + 101, 5) == 0);
  IS("fgets_unlocked", fgets_unlocked(back, (int)sized(10), f) != NULL ? strlen(back) : 0, 9);
  IS("fwrite_unlocked", (fseek(f, 0, SEEK_END), fwrite_unlocked("end", 1, 3, f)), 3);
  IS("fclose writes", fclose(f), 0);
  struct stat st;
  EXPECT(stat("large", &st) == 0);
  IS("size", st.st_size, sizeof text + 3);
}

static void buffering(void) {
  int ends[2];
  EXPECT(pipe2(ends, O_NONBLOCK) == 0);
  FILE* f = fdopen(ends[1], "w");
  fputs("held", f);
  FAILS("held in the buffer", read(ends[0], back, sized(10)), EAGAIN);
  IS("held, in bytes", __fpending(f), 4);
  IS("fflush", fflush(f), 0);
  IS("not held any more", read(ends[0], back, sized(10)), 4);
  IS("setvbuf by lines", setvbuf(f, NULL, _IOLBF, 0), 0);
  fputs("a line\nand", f);
  // By lines everything up to the last newline goes, and may go with what follows.
  HOLDS("a line goes at once", read(ends[0], back, sized(7)) == 7 && memcmp(back, "a line\n", 7) == 0);
  fflush(NULL);
  IS("fflush of all", read(ends[0], back, sized(10)), 3);
  IS("setvbuf to none", setvbuf(f, NULL, _IONBF, 0), 0);
  fprintf(f, "%d", 42);
  IS("no buffer", read(ends[0], back, sized(10)), 2);
  IS("fclose", fclose(f), 0);
  IS("end of the pipe", read(ends[0], back, sized(10)), 0);
  close(ends[0]);
}

static void errors(void) {
  NULLS("fopen nothing", fopen("none", "r"), ENOENT);
  NULLS("fopen in a bad way", fopen("lines", "?"), EINVAL);
  NULLS("fopen exclusively", fopen("lines", "wx"), EEXIST);
  NULLS("fopen64 a directory", fopen64(".", "w"), EISDIR);
  NULLS("fdopen a closed one", fdopen(200, "r"), EBADF);
  const int fd = open("lines", O_RDONLY);
  NULLS("fdopen to write one for reading", fdopen(fd, "w"), EINVAL);
  FILE* f = fdopen(fd, "r");
  IS("write to a stream for reading", fputc('x', f), EOF);
  HOLDS("its error", ferror(f));
  IS("fclose", fclose(f), 0);
  f = fopen("/dev/full", "w");
  IS("fwrite into the buffer", fwrite("abc", 1, 3, f), 3);
  FAILS("fflush to a full device", fflush(f), ENOSPC);
  HOLDS("its error stays", ferror(f));
  fclose(f);
  f = fopen("/dev/full", "w");
  fputs("abc", f);
  FAILS("fclose to a full device", fclose(f), ENOSPC);
  f = fopen("/dev/full", "w");
  setvbuf(f, NULL, _IONBF, 0);
  IS("fwrite to a full device", fwrite("abc", 1, 3, f), 0);
  fclose(f);
  f = fopen(".", "r");
  FAILS("getc of a directory", getc(f), EISDIR);
  fclose(f);
  f = fopen("lines", "re");
  IS("the mode e", fcntl(fileno(f), F_GETFD), FD_CLOEXEC);
  close(fileno(f));
  FAILS("read a stream that lost its descriptor", getc(f), EBADF);
  FAILS("fclose of it", fclose(f), EBADF);
}

static void kinds(void) {
  put_file("append", "0123");
  FILE* f = fopen("append", "a+");
  IS("append", fputs("45", f) >= 0 && fflush(f) == 0, 1);
  IS("ftell after append", ftell(f), 6);
  f = freopen("lines", "r", f);
  HOLDS("freopen", f != NULL && getc(f) == 'f');
  IS("fclose", fclose(f), 0);
  f = fmemopen(text, 10, "r");
  IS("fmemopen", fread(back, 1, sized(20), f), 10);
  fclose(f);
  char* made = NULL;
  size_t size = 0;
  f = open_memstream(&made, &size);
  fprintf(f, "%s-%d", "made", 7);
  IS("open_memstream", fclose(f), 0);
  HOLDS("what it made", size == 6 && strcmp(made, "made-7") == 0);
  free(made);
  f = tmpfile();
  HOLDS("tmpfile", f != NULL && fputs("x", f) >= 0 && fseek(f, 0, SEEK_SET) == 0 && getc(f) == 'x');
  IS("ftruncate below a stream", ftruncate(fileno(f), 0), 0);
  fclose(f);
}

static void wide(void) {
  EXPECT(setlocale(LC_ALL, "C.UTF-8") != NULL);
  FILE* f = fopen("wide", "w+");
  IS("orientation", fwide(f, 0), 0);
  IS("fputws", fputws(L"gr\u00fc\u00df\u20ac\nzwei\n", f) >= 0, 1);
  HOLDS("wide now", fwide(f, 0) > 0);
  rewind(f);
  wchar_t line[20];
  HOLDS("fgetws", fgetws(line, (int)sized(20), f) != NULL && wcscmp(line, L"gr\u00fc\u00df\u20ac\n") == 0);
  IS("fgetwc", fgetwc(f), L'z');
  IS("ungetwc", ungetwc(L'Z', f), L'Z');
  IS("getwc", getwc(f), L'Z');
  IS("fwprintf", (fseek(f, 0, SEEK_END), fwprintf(f, L"%ls", L"\u20ac")), 1);
  IS("fclose", fclose(f), 0);
  struct stat st;
  EXPECT(stat("wide", &st) == 0);
  IS("bytes of it", st.st_size, 18);
  put_file("bad", "ok\xff");
  f = fopen("bad", "r");
  HOLDS("what is good", fgetwc(f) == L'o' && fgetwc(f) == L'k');
  FAILS("what is no character", fgetwc(f) == WEOF ? -1 : 0, EILSEQ);
  fclose(f);
  setlocale(LC_ALL, "C");
}

static void* put_lines(void* stream) {
  for (int i = 0; i < 2000; ++i) fputs("0123456789abcdef\n", stream);
  return NULL;
}

// A stream's lock makes each call one piece, and flockfile a group of them.
static void threads(void) {
  FILE* f = fopen("threads", "w+");
  pthread_t thread[3];
  for (int i = 0; i < 3; ++i) EXPECT(pthread_create(&thread[i], NULL, put_lines, f) == 0);
  flockfile(f);
  for (int i = 0; i < 17; ++i) putc_unlocked(i == 16 ? '\n' : 'x', f);
  IS("ftrylockfile again", ftrylockfile(f), 0);
  funlockfile(f);
  funlockfile(f);
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
  rewind(f);
  int whole = 0, others = 0;
  while (fgets(back, (int)sized(100), f) != NULL) {
    if (strcmp(back, "0123456789abcdef\n") == 0)
      ++whole;
    else
      others += strcmp(back, "xxxxxxxxxxxxxxxx\n") == 0 ? 1 : 1000;
  }
  IS("whole lines", whole, 6000);
  IS("the others", others, 1);
  fclose(f);
}

int main(void) {
  burn_beside(1);
  enter_scratch();
  reading();
  large();
  buffering();
  errors();
  kinds();
  wide();
  threads();
  leave_scratch();
  return conform_failed;
}
