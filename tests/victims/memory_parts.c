// Holds known amounts of each kind of memory, every page of them touched, for a second and more; then exits, is killed,
// or leaves children who share it all.
#include "victim.h"

enum { kMiB = 1 << 20 };
enum { kMapped = 48, kMappedIdle = 16, kBlocks = 20, kLarge = 32, kStack = 6, kShared = 16 };

static void touch(char* at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 4096) at[i] = 1;
}

static void* use_stack(void* unused) {
  (void)unused;
  char room[kStack * kMiB];
  touch(room, sizeof room);
  for (;;) pause();
  return NULL;
}

static void* map(size_t bytes, int flags) {
  void* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  EXPECT(at != MAP_FAILED);
  return at;
}

// Resident bytes by the kernel's own sum.
static long long resident(void) {
  char text[4096];
  FILE* f = fopen("/proc/self/smaps_rollup", "r");
  EXPECT(f != NULL);
  const size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  const char* rss = strstr(text, "\nRss:");
  EXPECT(rss != NULL);
  return strtoll(rss + 5, NULL, 10) * 1024;
}

int main(int argc, char** argv) {
  const char* end = argc > 1 ? argv[1] : "exit";
  pthread_t thread;
  pthread_attr_t attributes;
  EXPECT(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 8 * (size_t)kMiB) == 0);
  EXPECT(pthread_create(&thread, &attributes, use_stack, NULL) == 0);
  touch(map((kMapped + kMappedIdle) * (size_t)kMiB, MAP_PRIVATE), kMapped * (size_t)kMiB);
  touch(map(kShared * (size_t)kMiB, MAP_SHARED), kShared * (size_t)kMiB);
  for (int i = 0; i < kBlocks * 16; ++i) {
    char* block = malloc(kMiB / 16);
    EXPECT(block != NULL);
    touch(block, kMiB / 16);
  }
  char* large = malloc(kLarge * (size_t)kMiB);
  EXPECT(large != NULL);
  touch(large, kLarge * (size_t)kMiB);
  burn_ms(1300);
  if (strcmp(end, "fork") == 0) {
    for (int i = 0; i < 3; ++i) {
      const pid_t child = fork();
      EXPECT(child >= 0);
      if (child == 0) {
        burn_ms(1300);
        _exit(0);
      }
    }
    while (wait(NULL) > 0) {
    }
  }
  fact("mapped", kMapped * (long long)kMiB);
  fact("shared", kShared * (long long)kMiB);
  fact("blocks", kBlocks * (long long)kMiB);
  fact("large", kLarge * (long long)kMiB);
  fact("stack", kStack * (long long)kMiB);
  fact("resident", resident());
  if (strcmp(end, "kill") == 0) kill(getpid(), SIGKILL);
  return 0;
}
