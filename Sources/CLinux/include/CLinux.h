#ifndef SOJOURN_CLINUX_H
#define SOJOURN_CLINUX_H

#include <stddef.h>
#include <stdint.h>

/// A ready descriptor as the event loop reads it. `struct epoll_event` is packed on x86-64 and holds
/// a union; Swift imports neither well.
struct clinux_event {
    uint64_t token;
    uint32_t flags;
};

enum {
    CLINUX_READABLE = 1,
    CLINUX_WRITABLE = 2,
    CLINUX_PEER_ENDED = 4,
    CLINUX_FAILED = 8,
};

/// epoll_create1 with EPOLL_CLOEXEC, whose header is not part of Swift's Glibc module.
int clinux_epoll_create(void);

/// Registers for reading, writing and the peer's end, edge-triggered: one call in the life of a
/// connection. The union in `struct epoll_event` is filled here.
int clinux_epoll_add_edge(int epoll, int descriptor, uint64_t token);

/// Registers for reading, level-triggered: listeners, which are not read until empty.
int clinux_epoll_add_level(int epoll, int descriptor, uint64_t token);

/// Registers an eventfd, edge-triggered: each write to it is reported once, and its counter need not be read.
int clinux_epoll_add_wake(int epoll, int eventfd, uint64_t token);

int clinux_epoll_remove(int epoll, int descriptor);

/// Waits at most `timeout` milliseconds (-1: without end) and unpacks what is ready.
int clinux_epoll_wait(int epoll, struct clinux_event *events, int count, int timeout);

/// eventfd, close-on-exec and non-blocking, whose header is not part of Swift's Glibc module.
int clinux_eventfd(void);

/// What a descriptor is ready for at this moment, without waiting.
uint32_t clinux_ready(int descriptor);

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC, which needs _GNU_SOURCE.
int clinux_accept(int descriptor);

/// Gives the file of a local socket that root has made to whom its folder belongs: else who runs commands there as that
/// user could not reach the server. O_PATH and AT_EMPTY_PATH need _GNU_SOURCE.
void clinux_follow_owner(const char *socket, const char *folder);

/// Gives the write mode of fcntl a name: fcntl is variadic, which Swift cannot call.
int clinux_set_nonblocking(int descriptor);
int clinux_set_close_on_exec(int descriptor);

/// What the kernel says of its clock, by adjtimex without a change: 1 where it calls itself synchronised (no
/// STA_UNSYNC), 0 where not, -1 where it does not tell. Past the C library, so that nothing stands between.
int clinux_kernel_clock(int64_t *milliseconds, int64_t *max_error_microseconds);

/// Nanoseconds since the machine was started, sleep included; past the C library too.
int64_t clinux_since_boot(void);

/// prctl with PR_SET_DUMPABLE 0, whose header is not part of Swift's Glibc module: no core file, no
/// handler of core files and no debugger of the same user gets the memory.
int clinux_forbid_dumps(void);

/// mallopt with M_MMAP_THRESHOLD and M_TRIM_THRESHOLD, whose header is not part of Swift's Glibc module:
/// the allocator maps a block of this many bytes or more on its own and unmaps it when it is freed; it
/// keeps smaller blocks for whoever asks next.
void clinux_keep_freed(int bytes);

/// malloc_trim: whole pages of which nothing is in use go back to the system.
void clinux_give_back_freed(void);

#endif
