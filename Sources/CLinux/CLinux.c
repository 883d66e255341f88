// accept4 and the flags of epoll_create1 are GNU extensions.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int add(int epoll, int descriptor, uint64_t token, uint32_t events) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int clinux_epoll_add_edge(int epoll, int descriptor, uint64_t token) {
    return add(epoll, descriptor, token, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

int clinux_epoll_add_level(int epoll, int descriptor, uint64_t token) {
    return add(epoll, descriptor, token, EPOLLIN);
}

int clinux_epoll_add_wake(int epoll, int eventfd, uint64_t token) {
    return add(epoll, eventfd, token, EPOLLIN | EPOLLET);
}

int clinux_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

enum { BATCH = 256 };

int clinux_epoll_wait(int epoll, struct clinux_event *events, int count, int timeout) {
    struct epoll_event ready[BATCH];
    int found = epoll_wait(epoll, ready, count < BATCH ? count : BATCH, timeout);
    for (int i = 0; i < found; i++) {
        uint32_t flags = 0;
        if (ready[i].events & EPOLLIN) flags |= CLINUX_READABLE;
        if (ready[i].events & EPOLLOUT) flags |= CLINUX_WRITABLE;
        if (ready[i].events & EPOLLRDHUP) flags |= CLINUX_PEER_ENDED;
        if (ready[i].events & (EPOLLERR | EPOLLHUP)) flags |= CLINUX_FAILED;
        events[i].token = ready[i].data.u64;
        events[i].flags = flags;
    }
    return found;
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int clinux_accept(int descriptor) {
    return accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

uint32_t clinux_ready(int descriptor) {
    struct pollfd ready = {.fd = descriptor, .events = POLLIN | POLLOUT | POLLRDHUP};
    uint32_t flags = 0;
    if (poll(&ready, 1, 0) <= 0) return flags;
    if (ready.revents & POLLIN) flags |= CLINUX_READABLE;
    if (ready.revents & POLLOUT) flags |= CLINUX_WRITABLE;
    if (ready.revents & POLLRDHUP) flags |= CLINUX_PEER_ENDED;
    if (ready.revents & (POLLERR | POLLHUP)) flags |= CLINUX_FAILED;
    return flags;
}

void clinux_follow_owner(const char *socket, const char *folder) {
    struct stat above, made;
    if (geteuid() != 0 || stat(folder, &above) != 0 || above.st_uid == 0) return;
    /* Not of what somebody may have put in its place. */
    int descriptor = open(socket, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return;
    if (fstat(descriptor, &made) == 0 && S_ISSOCK(made.st_mode) && made.st_nlink == 1)
        (void)!fchownat(descriptor, "", above.st_uid, above.st_gid, AT_EMPTY_PATH);
    close(descriptor);
}

int clinux_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int clinux_set_close_on_exec(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

int clinux_kernel_clock(int64_t *milliseconds, int64_t *max_error_microseconds) {
    struct timex clock = {0};
    if (syscall(SYS_adjtimex, &clock) < 0) return -1;
    int64_t fraction = clock.time.tv_usec / (clock.status & STA_NANO ? 1000000 : 1000);
    *milliseconds = (int64_t)clock.time.tv_sec * 1000 + fraction;
    *max_error_microseconds = clock.maxerror;
    return clock.status & STA_UNSYNC ? 0 : 1;
}

int64_t clinux_since_boot(void) {
    struct timespec time = {0};
    syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void clinux_keep_freed(int bytes) {
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, 2 * bytes);
}

void clinux_give_back_freed(void) {
    malloc_trim(0);
}
