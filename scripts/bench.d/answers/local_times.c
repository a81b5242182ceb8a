/* Turns a binary log of door events into text with local times. */
//
// What is wrong: localtime() has to look whether the time zone has changed; with TZ not set that is a stat of
// /etc/localtime for every single event.
// First screen should say: most of the time is in the system call stat (newfstatat /etc/localtime), made by localtime()
// in stamp() for every event: use localtime_r, which reads the zone once.
// Mend: localtime_r.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS 1500000

struct event {
  int64_t time;
  uint16_t door;
  uint16_t card;
  uint32_t flags;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static double lost;
static long stamps;

static int write_log(const char *path) {
  FILE *out = fopen(path, "wb");
  if (!out) return -1;
  uint32_t state = 12345;
  int64_t time = 1700000000;
  for (int i = 0; i < EVENTS; i++) {
    state = state * 1103515245u + 12345u;
    time += (state >> 16) % 40;
    struct event event = {time, (state >> 8) % 60, (state >> 12) % 5000, state >> 28};
    fwrite(&event, sizeof event, 1, out);
  }
  return fclose(out);
}

static size_t stamp(char *text, size_t size, time_t when) {
  struct tm local;
  double began = ++stamps % 64 == 0 ? now() : 0;  /* measures one of 64, with and without the look at the zone */
  local = *localtime(&when);  // FAULT time-zones
  if (began) {
    double middle = now();
    localtime_r(&when, &local);
    lost += (middle - began - (now() - middle)) * 64;
  }
  return strftime(text, size, "%Y-%m-%d %H:%M:%S", &local);
}

static const char *names[] = {"open", "close", "refused", "forced"};

static size_t format(char *text, size_t size, const struct event *event) {
  size_t used = stamp(text, size, event->time);
  used += snprintf(text + used, size - used, " door %02u card %04u %s\n", event->door, event->card, names[event->flags % 4]);
  return used;
}

int main(void) {
  unsetenv("TZ");  /* the reports are in the zone of this machine */
  if (write_log("doors.bin") != 0) return 1;
  FILE *in = fopen("doors.bin", "rb"), *out = fopen("doors.txt", "w");
  if (!in || !out) return 1;
  struct event events[512];
  long refused[60] = {0}, lines = 0;
  uint32_t sum = 5381;
  size_t count;
  while ((count = fread(events, sizeof *events, 512, in)) > 0)
    for (size_t i = 0; i < count; i++) {
      char line[120];
      size_t size = format(line, sizeof line, &events[i]);
      fwrite(line, 1, size, out);
      for (size_t j = 0; j < size; j += 4) sum = sum * 33 + (unsigned char)line[j];
      refused[events[i].door] += events[i].flags % 4 == 2;
      lines++;
    }
  fclose(in);
  fclose(out);
  int worst = 0;
  for (int door = 1; door < 60; door++)
    if (refused[door] > refused[worst]) worst = door;
  printf("lines %ld sum %08x\n", lines, sum);
  printf("door %d refused %ld\n", worst, refused[worst]);
  printf("truth %.3f\n", lost);
  remove("doors.bin");
  remove("doors.txt");
  return 0;
}
