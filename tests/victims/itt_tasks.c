// Tasks, regions, frames and markers of ITT, as a library that embeds ittnotify makes them: through a table of
// functions of which a tool replaces those it wants. The layout is ittnotify 3's.
#include <dlfcn.h>

#include "victim.h"

typedef struct {
  const char* name;
  void** pointer;
  void *initial, *null;
  int group;
} function;
typedef struct {
  int flags;
  const char* name;
  void* wide;
  int extra;
  void *more, *next;
} domain;
typedef struct {
  const char* text;
  void* wide;
  int extra;
  void *more, *next;
} string;
typedef struct {
  unsigned long long d1, d2, d3;
} id;

typedef struct {
  unsigned char magic[8];
  unsigned long version[3];
  volatile long api_initialized, mutex_initialized, counter;
  pthread_mutex_t mutex;
  void *library, *error_handler;
  const char** path;
  function* functions;
  void* rest[8];
} global;

static void (*task_begin)(const domain*, id, id, const string*);
static void (*task_end)(const domain*);
static void (*region_begin)(const domain*, id, id, const string*);
static void (*region_end)(const domain*, id);
static void (*frame_begin)(const domain*, const id*);
static void (*frame_end)(const domain*, const id*);
static void (*overlapped_begin)(const domain*, id, id, const string*);
static void (*overlapped_end)(const domain*, id);
static void (*marker)(const domain*, id, const string*, int);
static void (*resume_collection)(void);
static void (*pause_collection)(void);
static domain* (*domain_create)(const char*);

static domain* own_domain_create(const char* name) {
  static domain d = {1, NULL, NULL, 0, NULL, NULL};
  d.name = name;
  return &d;
}

// What stands there until a tool is found: it would look for one, and answer nothing.
static void* initial_stack_caller(void) { return NULL; }
static void* (*stack_caller)(void) = initial_stack_caller;

static function functions[] = {{"__itt_domain_create", (void**)&domain_create, NULL, (void*)own_domain_create, 1},
                               {"__itt_stack_caller_create", (void**)&stack_caller, NULL, NULL, 1},
                               {"__itt_task_begin", (void**)&task_begin, NULL, NULL, 1},
                               {"__itt_task_end", (void**)&task_end, NULL, NULL, 1},
                               {"__itt_region_begin", (void**)&region_begin, NULL, NULL, 1},
                               {"__itt_region_end", (void**)&region_end, NULL, NULL, 1},
                               {"__itt_frame_begin_v3", (void**)&frame_begin, NULL, NULL, 1},
                               {"__itt_frame_end_v3", (void**)&frame_end, NULL, NULL, 1},
                               {"__itt_task_begin_overlapped", (void**)&overlapped_begin, NULL, NULL, 1},
                               {"__itt_task_end_overlapped", (void**)&overlapped_end, NULL, NULL, 1},
                               {"__itt_marker", (void**)&marker, NULL, NULL, 1},
                               {"__itt_resume", (void**)&resume_collection, NULL, NULL, 1},
                               {"__itt_pause", (void**)&pause_collection, NULL, NULL, 1},
                               {NULL, NULL, NULL, NULL, 0}};
static global state;

int main(void) {
  const id none = {0, 0, 0}, seven = {7, 0, 0}, eight = {8, 0, 0};
  const string outer = {"outer", NULL, 0, NULL, NULL}, inner = {"inner", NULL, 0, NULL, NULL};
  const string nameless = {NULL, NULL, 0, NULL, NULL};
  domain_create = own_domain_create;
  state.functions = functions;
  const char* path = getenv("INTEL_LIBITTNOTIFY64");
  void* tool = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  void (*init)(global*, int) = tool != NULL ? (void (*)(global*, int))dlsym(tool, "__itt_api_init") : NULL;
  if (init == NULL) return 0;
  init(&state, -1);
  EXPECT(domain_create == own_domain_create);  // the library keeps its domains itself
  EXPECT(stack_caller == NULL);                // what is there is taken for one that answers
  domain* d = domain_create("D");
  if (task_begin == NULL) {
    fact("attached", 0);
    return 0;
  }
  fact("attached", 1);
  if (pause_collection != NULL) pause_collection();
  task_begin(d, none, none, &outer);
  task_begin(d, none, none, &inner);
  free(malloc(100));
  task_end(d);
  free(malloc(200));
  task_end(d);
  free(malloc(300));
  task_begin(d, none, none, &nameless);
  task_begin(d, none, none, &inner);
  free(malloc(400));
  task_end(d);
  free(malloc(500));
  task_end(d);
  resume_collection();
  region_begin(d, seven, none, &outer);
  region_begin(d, eight, none, &inner);
  overlapped_begin(d, seven, none, &inner);
  frame_begin(d, NULL);
  frame_begin(d, &eight);
  overlapped_end(d, seven);  // the last one of that id
  region_end(d, seven);
  region_end(d, eight);
  region_end(d, eight);  // the frame: ids are the domain's
  frame_end(d, NULL);
  frame_end(d, NULL);
  marker(d, none, &inner, 0);
  return 0;
}
