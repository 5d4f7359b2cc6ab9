/*
 * Entry point of a Linux executable, without libraries. Starts the loader as the kernel would, but the loader and the libraries
 * are inside the executable. `linux.ts` inserts this code and fills the table.
 */

typedef unsigned long word;

/** Addresses, counts and sizes. `linux.ts` writes them in this order. */
struct table {
  word self, headers, header_count, entry, loader, loader_entry;
  /** Descriptor of the first library. The others follow. */
  word first, count;
  struct {
    word address, size;
  } libraries[16];
};

enum { AT_PHDR = 3, AT_PHNUM = 5, AT_BASE = 7, AT_ENTRY = 9, O_CLOEXEC = 02000000 };

#if defined(__x86_64__)
enum { WRITE = 1, CLOSE = 3, EXIT = 60, DUP3 = 292, MEMFD_CREATE = 319 };

__asm__("table: .zero 512\n"
        ".globl _start\n"
        "_start: mov %rsp, %rdi; lea table(%rip), %rsi; call prepare; xor %edx, %edx; jmp *%rax\n");

static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
enum { WRITE = 64, CLOSE = 57, EXIT = 93, DUP3 = 24, MEMFD_CREATE = 279 };

__asm__("table: .zero 512\n"
        ".globl _start\n"
        "_start: mov x0, sp; adr x1, table; bl prepare; mov x1, x0; mov x0, #0; br x1\n");

static long call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}
#endif

static long must(long result) {
  static const char message[] = "avatarops: cannot create an in-memory file for a library. See memfd_create(2) and ulimit -n.\n";
  if (result < 0) {
    call(WRITE, 2, (long)message, sizeof message - 1);
    call(EXIT, 127, 0, 0);
  }
  return result;
}

/** Puts each library into an in-memory file, and the program into the loader's arguments. Returns the loader's start address. */
word prepare(word *stack, const struct table *table) {
  const word base = (word)table - table->self;
  for (word index = 0; index < table->count; index++) {
    const long file = table->first + index, made = must(call(MEMFD_CREATE, (long)"avatarops", 0, 0));
    must(call(DUP3, made, file, O_CLOEXEC));
    call(CLOSE, made, 0, 0);
    const word end = base + table->libraries[index].address + table->libraries[index].size;
    for (word from = base + table->libraries[index].address; from < end;)
      from += must(call(WRITE, file, from, end - from));
  }
  word *at = stack + *stack + 2; // The environment and then name-value pairs follow the arguments.
  while (*at++) continue;
  for (; *at; at += 2) {
    if (at[0] == AT_PHDR) at[1] = base + table->headers;
    if (at[0] == AT_PHNUM) at[1] = table->header_count;
    if (at[0] == AT_BASE) at[1] = base + table->loader;
    if (at[0] == AT_ENTRY) at[1] = base + table->entry;
  }
  return base + table->loader_entry;
}
