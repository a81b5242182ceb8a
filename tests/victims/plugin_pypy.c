/* Another Python than CPython, as far as its file tells. */
__attribute__((visibility("default"))) int pypy_main_startup(int argc, char** argv);
int pypy_main_startup(int argc, char** argv) {
  (void)argv;
  return argc;
}
