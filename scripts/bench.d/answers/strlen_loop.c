/* Turns a text into capitals; its length is counted again for each letter. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void capitals(char* text) {
  for (size_t i = 0; i < strlen(text); ++i) { /* FAULT string-lengths */
    text[i] = toupper(text[i]);
  }
}

int main(void) {
  size_t size = 400000;
  char* text = malloc(size + 1);
  for (size_t i = 0; i < size; ++i) text[i] = "abcdefgh ijklmno"[i * 7 % 16];
  text[size] = 0;
  double began = now();
  capitals(text);
  printf("%.10s\ntruth %.3f\n", text, now() - began);
  return 0;
}
