// Makes code at run time as LLVM does: registers its call frame information with the unwinder, and shows debuggers an
// image of each object through GDB's interface.
//
// usage: registered_code reuse|nested|silent|dropped|listed|late|forked|many|threads|damaged|constructor [PLUGIN]
//   reuse: two functions at the same address, one after the other
//   nested: a function that calls another one, both without frame pointers
//   silent: registered without an image
//   dropped: code that nobody registers takes the place of dropped code
//   listed: functions that are not registered and have images, one after the other at the same address
//   late: the image comes after the registration
//   forked: a child goes on with its parent's function
//   many: 100,000 functions made and dropped in a few pages; the first one stays
//   threads: four threads make and drop functions as long as they run
//   constructor: PLUGIN's constructor waits for a thread that registers
//   damaged: lists that are circles or lead nowhere, and images with wrong bytes
#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>

#include "victim.h"

void __register_frame(void*);
void __deregister_frame(void*);
// What the unwinder itself knows of an address.
const void* _Unwind_Find_FDE(void*, void* bases);

// Source: GDB's manual, "JIT Compilation Interface".
struct entry {
  struct entry *next, *previous;
  const char* image;
  uint64_t bytes;
};
static struct {
  uint32_t version, action;
  struct entry *relevant, *first;
} __jit_debug_descriptor __attribute__((used)) = {1, 0, NULL, NULL};
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

// What it keeps in rbp is no frame pointer, and what it pushes last looks like a return address.
static const unsigned char spin_code[] = {
    0x55,                                                        // push rbp
    0x53,                                                        // push rbx
    0x48, 0xbd, 0xf8, 0xff, 0xef, 0xbe, 0xad, 0xde, 0x00, 0x00,  // mov rbp, 0x0000deadbeeffff8
    0x48, 0xbb, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x7f,  // mov rbx, 0x7fff000000000001
    0x53,                                                        // push rbx
    0x55,                                                        // push rbp
    0x48, 0xff, 0xcf,                                            // again: dec rdi
    0x75, 0xfb,                                                  // jnz again
    0x48, 0x83, 0xc4, 0x10,                                      // add rsp, 16
    0x5b,                                                        // pop rbx
    0x5d,                                                        // pop rbp
    0xc3,                                                        // ret
};
static const unsigned char spin_rows[] = {
    0x41, 0x0e, 16, 0x86, 2,         // behind push rbp: the frame's end is 16 above rsp, rbp 2 words below it
    0x41, 0x0e, 24,                  // behind push rbx
    0x55, 0x0e, 32, 0x41, 0x0e, 40,  // behind the other two
    0x49, 0x0e, 24, 0x41, 0x0e, 16, 0x41, 0x0e, 8, 0xc6,
};
// Calls what rsi holds with rdi.
static const unsigned char call_code[] = {
    0x55,                                                        // push rbp
    0x48, 0xbd, 0xf8, 0xff, 0xef, 0xbe, 0xad, 0xde, 0x00, 0x00,  // mov rbp, 0x0000deadbeeffff8
    0x48, 0x81, 0xec, 0x00, 0x30, 0x00, 0x00,                    // sub rsp, 0x3000
    0xff, 0xd6,                                                  // call rsi
    0x48, 0x81, 0xc4, 0x00, 0x30, 0x00, 0x00,                    // add rsp, 0x3000
    0x5d,                                                        // pop rbp
    0xc3,                                                        // ret
};
static const unsigned char call_rows[] = {
    0x41, 0x0e, 16, 0x86, 2, 0x51, 0x0e, 0x90, 0x60, 0x49, 0x0e, 16, 0x41, 0x0e, 8, 0xc6,
};

enum { kRoom = 1024, kTables = 512 };  // of a function: its code, and from kTables on its call frame information

struct made {
  unsigned char* at;
  struct entry* entry;
};

static unsigned char* region(size_t bytes) {
  void* made = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(made != MAP_FAILED);
  return made;
}

static void put32(unsigned char** to, uint32_t value) {
  memcpy(*to, &value, 4);
  *to += 4;
}

static void write_tables(unsigned char* at, const unsigned char* code, size_t code_bytes, const unsigned char* rows,
                         size_t row_bytes) {
  static const unsigned char common[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0};
  unsigned char* to = at;
  put32(&to, 4 + sizeof common);
  put32(&to, 0);
  memcpy(to, common, sizeof common);
  to += sizeof common;
  unsigned char* const length = to;
  put32(&to, 0);
  put32(&to, (uint32_t)(to - at));
  put32(&to, (uint32_t)(code - to));
  put32(&to, (uint32_t)code_bytes);
  *to++ = 0;
  memcpy(to, rows, row_bytes);
  to += row_bytes;
  while ((to - length) % 4 != 0) *to++ = 0;
  const uint32_t bytes = (uint32_t)(to - length - 4);
  memcpy(length, &bytes, 4);
  put32(&to, 0);
}

struct image {
  Elf64_Ehdr header;
  Elf64_Shdr sections[6];
  Elf64_Sym symbols[2];
  char names[64], section_names[48];
};

static struct entry* new_image(const char* name, const unsigned char* code, size_t bytes, const void* tables) {
  struct image* i = calloc(1, sizeof *i);
  EXPECT(i != NULL);
  for (int k = 0; k < SELFMAG; ++k) i->header.e_ident[k] = (unsigned char)ELFMAG[k];
  i->header.e_ident[EI_CLASS] = ELFCLASS64;
  i->header.e_ident[EI_DATA] = ELFDATA2LSB;
  i->header.e_type = ET_REL;
  i->header.e_machine = EM_X86_64;
  i->header.e_shoff = offsetof(struct image, sections);
  i->header.e_shentsize = sizeof(Elf64_Shdr);
  i->header.e_shnum = 6;
  i->header.e_shstrndx = 4;
  memcpy(i->section_names, "\0.text\0.symtab\0.strtab\0.shstrtab\0.eh_frame", 43);
  i->sections[1] = (Elf64_Shdr){1, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, (uintptr_t)code, 0, bytes, 0, 0, 16, 0};
  i->sections[2] =
      (Elf64_Shdr){7, SHT_SYMTAB, 0, 0, offsetof(struct image, symbols), sizeof i->symbols, 3, 1, 8, sizeof(Elf64_Sym)};
  i->sections[3] = (Elf64_Shdr){15, SHT_STRTAB, 0, 0, offsetof(struct image, names), sizeof i->names, 0, 0, 1, 0};
  i->sections[4] =
      (Elf64_Shdr){23, SHT_STRTAB, 0, 0, offsetof(struct image, section_names), sizeof i->section_names, 0, 0, 1, 0};
  if (tables != NULL) i->sections[5] = (Elf64_Shdr){33, SHT_PROGBITS, SHF_ALLOC, (uintptr_t)tables, 0, 0, 0, 0, 8, 0};
  snprintf(i->names + 1, sizeof i->names - 1, "%s", name);
  i->symbols[1] = (Elf64_Sym){1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, bytes};
  struct entry* e = calloc(1, sizeof *e);
  EXPECT(e != NULL);
  e->image = (const char*)i;
  e->bytes = sizeof *i;
  return e;
}

// `tables`: where its call frame information stands; null: it has none.
static struct entry* show(const char* name, const unsigned char* code, size_t bytes, const void* tables) {
  struct entry* e = new_image(name, code, bytes, tables);
  EXPECT(pthread_mutex_lock(&list_lock) == 0);
  e->next = __jit_debug_descriptor.first;
  if (e->next != NULL) e->next->previous = e;
  __jit_debug_descriptor.first = e;
  EXPECT(pthread_mutex_unlock(&list_lock) == 0);
  return e;
}

static void hide(struct entry* e) {
  EXPECT(pthread_mutex_lock(&list_lock) == 0);
  if (e->previous != NULL)
    e->previous->next = e->next;
  else
    __jit_debug_descriptor.first = e->next;
  if (e->next != NULL) e->next->previous = e->previous;
  EXPECT(pthread_mutex_unlock(&list_lock) == 0);
  free((void*)e->image);
  free(e);
}

static int is_known(unsigned char* at) {
  void* bases[3];
  return _Unwind_Find_FDE(at + 1, bases) != NULL;
}

static struct made make(unsigned char* at, const char* name, int calls) {
  const unsigned char* code = calls ? call_code : spin_code;
  const size_t bytes = calls ? sizeof call_code : sizeof spin_code;
  memcpy(at, code, bytes);
  write_tables(at + kTables, at, bytes, calls ? call_rows : spin_rows, calls ? sizeof call_rows : sizeof spin_rows);
  struct made m = {at, NULL};
  if (name != NULL) m.entry = show(name, at, bytes, at + kTables);
  __register_frame(at + kTables);
  EXPECT(is_known(at));
  return m;
}

static void drop(struct made m) {
  __deregister_frame(m.at + kTables);
  EXPECT(!is_known(m.at));
  if (m.entry != NULL) hide(m.entry);
}

static void burn(unsigned char* at, unsigned char* callee, long ms) {
  void (*run)(long, void*) = (void (*)(long, void*))at;
  const int64_t until = thread_cpu_ns() + ms * 1000000;
  while (thread_cpu_ns() < until) run(1000000, callee);
}
static void burn_first(unsigned char* at) { burn(at, NULL, 300); }
static void burn_second(unsigned char* at) { burn(at, NULL, 600); }

static void reuse(void) {
  unsigned char* at = region(4096);
  const struct made first = make(at, "first_function", 0);
  burn_first(at);
  drop(first);
  make(at, "second_function", 0);
  burn_second(at);
}

static void nested(void) {
  unsigned char* at = region(8192);
  make(at, "inner_function", 0);
  make(at + 4096, "outer_function", 1);
  burn(at + 4096, at, 600);
}

static void silent(void) {
  unsigned char* at = region(4096);
  make(at, NULL, 0);
  burn_first(at);
}

static void dropped(void) {
  unsigned char* at = region(4096);
  drop(make(at, "first_function", 0));
  memcpy(at, spin_code, sizeof spin_code);
  burn_second(at);
}

// As LLVM leaves functions without unwind tables: it registers none, and has images of them.
static void listed(void) {
  unsigned char *at = region(4096), *others = region(4096);
  memcpy(at + 1024, spin_code, sizeof spin_code);
  struct entry* first = show("first_function", at + 1024, sizeof spin_code, NULL);
  make(others, "other_function", 0);
  burn_first(at + 1024);
  hide(first);
  show("second_function", at + 1024, sizeof spin_code, NULL);
  make(others + 1024, "another_function", 0);
  burn_second(at + 1024);
}

// As LLVM's later interfaces do: the image comes after the registration, with nothing behind it.
static void late(void) {
  unsigned char* at = region(4096);
  make(at, NULL, 0);
  show("first_function", at, sizeof spin_code, at + kTables);
  burn_second(at);
}

static void forked(void) {
  unsigned char* at = region(4096);
  make(at, "first_function", 0);
  burn_first(at);
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    for (const int64_t until = now_ns() + 400000000; now_ns() < until;) free(malloc(200000));
    burn_second(at);
    _exit(0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

static void many(void) {
  enum { kAtOnce = 50, kPlaces = 90 };
  unsigned char* at = region((kPlaces + 1) * kRoom);
  struct made kept[kPlaces] = {{NULL, NULL}};
  make(at, "first_function", 0);
  char name[32];
  unsigned random = 1;
  for (unsigned i = 0; i < 100000; ++i) {
    random = random * 1103515245 + 12345;
    struct made* m = &kept[(random >> 16) % kPlaces];
    if (m->at != NULL) drop(*m);
    snprintf(name, sizeof name, "dropped_%u", i);
    *m = make(at + ((m - kept) + 1) * kRoom, name, 0);
    ((void (*)(long))m->at)(1);
  }
  burn_first(at);
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  fact("peak_kib", u.ru_maxrss);
}

static void* make_and_drop(void* name) {
  unsigned char* at = region(64 * kRoom);
  const int64_t until = thread_cpu_ns() + 1000000000;
  for (unsigned i = 0; thread_cpu_ns() < until; ++i) {
    const struct made m = make(at + i % 64 * kRoom, name, 0);
    ((void (*)(long))m.at)(100000);
    drop(m);
  }
  return NULL;
}
static void threads(void) {
  static char names[4][16] = {"made_by_0", "made_by_1", "made_by_2", "made_by_3"};
  pthread_t made[4];
  for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&made[i], NULL, make_and_drop, names[i]) == 0);
  for (int i = 0; i < 4; ++i) EXPECT(pthread_join(made[i], NULL) == 0);
}

// Called by the plugin, in a thread that its constructor waits for.
__attribute__((visibility("default"))) void announce_for_plugin(void* at) { drop(make(at, "plugins_function", 0)); }

static void damaged(void) {
  unsigned char* at = region(4096);
  unsigned char* const last = region(8192) + 4096;
  EXPECT(munmap(last, 4096) == 0);
  unsigned random = 1;
  struct entry circle = {&circle, &circle, (const char*)&circle, sizeof circle};
  struct entry wild[] = {{(struct entry*)16, NULL, "", 1},
                         {(struct entry*)(last - 8), NULL, NULL, UINT64_MAX},
                         {(struct entry*)0xdead000000000000, NULL, (const char*)0xdead000000000000, 4096},
                         {NULL, NULL, (const char*)last - 100, 100000}};
  for (int i = 0; i < 2000; ++i) {
    struct entry* good = new_image("right_function", at, sizeof spin_code, at + kTables);
    unsigned char* bytes = (unsigned char*)good->image;
    for (int hit = 0; hit < i % 20; ++hit) {
      random = random * 1103515245 + 12345;
      unsigned char* byte = bytes + (random >> 8) % good->bytes;
      *byte = i % 3 == 0 ? 0xff : (unsigned char)(random >> 3);
    }
    if (i % 7 == 0) good->bytes = random;
    good->next = i % 2 != 0 ? &circle : &wild[i / 2 % 4];
    __jit_debug_descriptor.first = i % 5 == 0 ? good->next : good;
    const struct made m = make(at, NULL, 0);
    ((void (*)(long))at)(1000);
    drop(m);
    free(bytes);
    free(good);
    __jit_debug_descriptor.first = NULL;
  }
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "reuse";
  if (strcmp(mode, "constructor") == 0) {
    EXPECT(argc > 2 && dlopen(argv[2], RTLD_NOW) != NULL);
    return 0;
  }
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"reuse", reuse},   {"nested", nested},   {"silent", silent}, {"listed", listed},   {"late", late},
             {"forked", forked}, {"dropped", dropped}, {"many", many},     {"threads", threads}, {"damaged", damaged}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    if (strcmp(mode, all[i].name) == 0) return all[i].run(), 0;
  }
  return 2;
}
