// Copies known amounts with one function of the family, over threads, and looks at every result.
#include <wchar.h>

#include "victim.h"

void* __memcpy_chk(void*, const void*, size_t, size_t);
char* __strcpy_chk(char*, const char*, size_t);
char* __strncpy_chk(char*, const char*, size_t, size_t);

enum { kBytes = 3000, kRoom = 2 * kBytes + 64 };

static const char* function;
static long rounds;

static void is_text(const char* at, const char* text, size_t n) {
  for (size_t i = 0; i < n; ++i) EXPECT(at[i] == text[i]);
}

// One copy; returns its bytes.
static size_t one_copy(char* to, const char* from, const char* text, size_t n) {
  if (strcmp(function, "memcpy") == 0) {
    EXPECT(memcpy(to, from, n) == to);
  } else if (strcmp(function, "memmove") == 0) {
    EXPECT(memmove(to, from, n) == to);
  } else if (strcmp(function, "mempcpy") == 0) {
    EXPECT(mempcpy(to, from, n) == to + n);
  } else if (strcmp(function, "memcpy_chk") == 0) {
    EXPECT(__memcpy_chk(to, from, n, kRoom) == to);
  } else if (strcmp(function, "wmemcpy") == 0) {
    n -= n % sizeof(wchar_t);
    EXPECT((char*)wmemcpy((wchar_t*)to, (const wchar_t*)from, n / sizeof(wchar_t)) == to);
  } else if (strcmp(function, "strcpy") == 0) {
    EXPECT(strcpy(to, text) == to);
    return strlen(text) + 1;
  } else if (strcmp(function, "stpcpy") == 0) {
    EXPECT(stpcpy(to, text) == to + strlen(text));
    return strlen(text) + 1;
  } else if (strcmp(function, "strcpy_chk") == 0) {
    EXPECT(__strcpy_chk(to, text, kRoom) == to);
    return strlen(text) + 1;
  } else if (strcmp(function, "strncpy") == 0) {
    EXPECT(strncpy(to, text, kBytes) == to && to[strlen(text)] == '\0' && to[kBytes - 1] == '\0');
    return strlen(text);
  } else if (strcmp(function, "strncpy_chk") == 0) {
    EXPECT(__strncpy_chk(to, text, 100, kRoom) == to);
    return 100;
  } else if (strcmp(function, "strcat") == 0) {
    to[0] = 'x';
    to[1] = '\0';
    EXPECT(strcat(to, text) == to && to[0] == 'x');
    is_text(to + 1, text, strlen(text) + 1);
    return strlen(text) + 1;
  } else {
    EXPECT(0);
  }
  is_text(to, from, n);
  return n;
}

static void* copy_all(void* bytes) {
  char* to = calloc(1, kRoom);
  char* from = malloc(kRoom);
  char* text = malloc(kBytes);
  EXPECT(to != NULL && from != NULL && text != NULL);
  for (int i = 0; i < kRoom; ++i) from[i] = (char)(i * 7 + i / 256);
  for (int i = 0; i < kBytes; ++i) text[i] = (char)('a' + i % 23);
  text[kBytes - 200] = '\0';
  for (long r = 0; r < rounds; ++r) *(long long*)bytes += (long long)one_copy(to, from, text, (size_t)(r % kBytes));
  free(to);
  free(from);
  free(text);
  return NULL;
}

// Overlaps in both directions, by the function that allows them.
static void check_overlaps(void) {
  char room[300], want[300];
  for (int shift = -40; shift <= 40; ++shift) {
    for (int i = 0; i < 300; ++i) room[i] = want[i] = (char)i;
    for (int i = 0; i < 150; ++i) want[75 + shift + i] = (char)(75 + i);
    EXPECT(memmove(room + 75 + shift, room + 75, 150) == room + 75 + shift);
    is_text(room, want, 300);
  }
}

int main(int argc, char** argv) {
  EXPECT(argc == 3);
  function = argv[1];
  rounds = strtol(argv[2], NULL, 10);
  pthread_t threads[4];
  long long bytes[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&threads[i], NULL, copy_all, &bytes[i]) == 0);
  for (int i = 0; i < 4; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  check_overlaps();
  fact("copies", 4 * rounds);
  fact("bytes", bytes[0] + bytes[1] + bytes[2] + bytes[3]);
  return 0;
}
