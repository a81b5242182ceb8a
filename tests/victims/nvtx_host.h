// NVTX as a library embeds it: tables of functions that do nothing until a tool puts its own in, which is looked for at
// the first use. The layout is NVTX 3's; no header of a toolkit is needed.
#pragma once

#include <dlfcn.h>

#include "victim.h"

typedef void (*nvtx_function)(void);
typedef struct {
  nvtx_function core[17], core2[17];
  nvtx_function* core_slots[17];
  nvtx_function* core2_slots[17];
  int state;  // 0: not looked for; 1: a tool is there; 2: none
} nvtx_host;

typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
} nvtx_attributes;

static nvtx_host* nvtx_attaching;

static int nvtx_module_table(uint32_t module, nvtx_function*** table, uint32_t* count) {
  if (module != 1 && module != 5) return 0;
  *table = module == 1 ? nvtx_attaching->core_slots : nvtx_attaching->core2_slots;
  *count = 17;
  return 1;
}

static const void* nvtx_export_table(uint32_t id) {
  static const struct {
    size_t size;
    int (*module_table)(uint32_t, nvtx_function***, uint32_t*);
  } callbacks = {16, nvtx_module_table};
  return id == 1 ? &callbacks : NULL;
}

static inline void nvtx_attach(nvtx_host* host) {
  for (int i = 1; i < 17; ++i) {
    host->core_slots[i] = &host->core[i];
    host->core2_slots[i] = &host->core2[i];
  }
  host->state = 2;
  const char* path = getenv("NVTX_INJECTION64_PATH");
  void* tool = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  if (tool == NULL) return;
  int (*attach)(const void* (*)(uint32_t)) =
      (int (*)(const void* (*)(uint32_t)))dlsym(tool, "InitializeInjectionNvtx2");
  nvtx_attaching = host;
  if (attach != NULL && attach(nvtx_export_table) != 0) host->state = 1;
}

#define NVTX_CALL(host, table, index, Type, none, ...) \
  ((host)->state == 0 ? nvtx_attach(host) : (void)0,   \
   (host)->table[index] == NULL ? (none) : ((Type)(host)->table[index])(__VA_ARGS__))

static inline int nvtx_push(nvtx_host* h, const char* text) {
  return NVTX_CALL(h, core, 9, int (*)(const char*), -2, text);
}
static inline int nvtx_push_wide(nvtx_host* h, const wchar_t* text) {
  return NVTX_CALL(h, core, 10, int (*)(const wchar_t*), -2, text);
}
static inline int nvtx_pop(nvtx_host* h) { return NVTX_CALL(h, core, 11, int (*)(void), -2); }
static inline uint64_t nvtx_start(nvtx_host* h, const char* text) {
  return NVTX_CALL(h, core, 5, uint64_t(*)(const char*), 0, text);
}
static inline void nvtx_end(nvtx_host* h, uint64_t id) { NVTX_CALL(h, core, 7, void (*)(uint64_t), (void)0, id); }
static inline void nvtx_mark(nvtx_host* h, const char* text) {
  NVTX_CALL(h, core, 2, void (*)(const char*), (void)0, text);
}
static inline const void* nvtx_domain(nvtx_host* h, const char* name) {
  return NVTX_CALL(h, core2, 12, const void* (*)(const char*), NULL, name);
}
static inline const void* nvtx_string(nvtx_host* h, const void* domain, const char* text) {
  return NVTX_CALL(h, core2, 10, const void* (*)(const void*, const char*), NULL, domain, text);
}
static inline int nvtx_domain_push(nvtx_host* h, const void* domain, const nvtx_attributes* a) {
  return NVTX_CALL(h, core2, 4, int (*)(const void*, const nvtx_attributes*), -2, domain, a);
}
static inline int nvtx_domain_pop(nvtx_host* h, const void* domain) {
  return NVTX_CALL(h, core2, 5, int (*)(const void*), -2, domain);
}
static inline nvtx_attributes nvtx_message(int32_t type, const void* message, uint64_t payload) {
  const nvtx_attributes a = {3, sizeof(nvtx_attributes), 0, 0, 0, 1, 0, payload, type, message};
  return a;
}
