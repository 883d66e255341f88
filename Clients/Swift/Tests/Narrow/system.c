// What Embedded Swift asks of a system, for a program of WebAssembly that ends when its checks are done.
#include <stddef.h>
#include <stdint.h>

struct Bytes {
    const char *start;
    size_t count;
};

__attribute__((import_module("wasi_snapshot_preview1"), import_name("fd_write")))
int fd_write(int file, const struct Bytes *parts, size_t count, size_t *written);
__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_exit")))
_Noreturn void proc_exit(int status);

extern unsigned char __heap_base;
// The name that WebAssembly has for C's main.
int __main_argc_argv(int count, char **arguments);

void _start(void) { proc_exit(__main_argc_argv(0, NULL)); }

int putchar(int byte) {
    char one = (char)byte;
    struct Bytes bytes = {&one, 1};
    size_t written;
    fd_write(1, &bytes, 1, &written);
    return byte;
}

// Memory. A freed block goes to a list of its size, a power of two; its header holds that size.
enum { HEADER = 16 };
static void *freed[32];
static uintptr_t top;

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (alignment > HEADER) __builtin_trap();
    unsigned power = 5;
    while ((size_t)1 << power < size + HEADER) power++;
    if (freed[power]) {
        *out = freed[power];
        freed[power] = *(void **)*out;
        return 0;
    }
    if (!top) top = ((uintptr_t)&__heap_base + HEADER - 1) & ~(uintptr_t)(HEADER - 1);
    uintptr_t start = top;
    top += (uintptr_t)1 << power;
    uintptr_t end = (uintptr_t)__builtin_wasm_memory_size(0) << 16;
    if (top > end && __builtin_wasm_memory_grow(0, (top - end + 65535) >> 16) == (size_t)-1) __builtin_trap();
    *(unsigned *)start = power;
    *out = (void *)(start + HEADER);
    return 0;
}

void free(void *block) {
    if (!block) return;
    unsigned power = *(unsigned *)((uintptr_t)block - HEADER);
    *(void **)block = freed[power];
    freed[power] = block;
}

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *ours = left, *theirs = right;
    for (size_t index = 0; index < count; index++)
        if (ours[index] != theirs[index]) return ours[index] - theirs[index];
    return 0;
}

// Dictionaries are seeded by it: the same in each run.
void arc4random_buf(void *out, size_t count) {
    static uint64_t state = 1;
    for (size_t index = 0; index < count; index++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ((unsigned char *)out)[index] = (unsigned char)(state >> 56);
    }
}

// The low 128 bits of a product (compiler-rt): of halves, lest it calls itself.
struct Wide {
    uint64_t low, high;
};

struct Wide __multi3(uint64_t low, uint64_t high, uint64_t otherLow, uint64_t otherHigh) {
    const uint64_t mask = 0xffffffff;
    uint64_t first = (low & mask) * (otherLow & mask);
    uint64_t second = (low >> 32) * (otherLow & mask) + (first >> 32);
    uint64_t third = (low & mask) * (otherLow >> 32) + (second & mask);
    struct Wide product = {third << 32 | (first & mask),
                           (low >> 32) * (otherLow >> 32) + (second >> 32) + (third >> 32) + high * otherLow
                               + low * otherHigh};
    return product;
}

uintptr_t __stack_chk_guard = 0x5a17;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// A number that is not the quotient of two exact doubles: nothing here reads one.
const char *_swift_stdlib_strtod_clocale(const char *text, double *out) {
    (void)text;
    (void)out;
    __builtin_trap();
}
