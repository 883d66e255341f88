#define _GNU_SOURCE
#include "client.h"
#include "clock.h"
#include "fail.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct connection {
    int fd, waits_to_send;
    const struct request *request; /* NULL while idle */
    uint32_t sent, got;
    double start;
    char answer[4096];
};

struct client {
    struct sockaddr_in address;
    int epoll, count;
    const char *answer;
    struct connection *connections;
};

static void watch(struct client *c, struct connection *k, int operation) {
    struct epoll_event e = {
        .events = EPOLLIN | (k->waits_to_send ? (uint32_t)EPOLLOUT : 0), .data.ptr = k};
    epoll_ctl(c->epoll, operation, k->fd, &e);
}

static void connect_to(struct client *c, struct connection *k) {
    int one = 1;
    k->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (k->fd < 0 || connect(k->fd, (struct sockaddr *)&c->address, sizeof c->address))
        fail(69, "load: cannot connect: %s", strerror(errno));
    setsockopt(k->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(k->fd, F_SETFL, O_NONBLOCK);
    k->request = NULL, k->waits_to_send = 0;
    watch(c, k, EPOLL_CTL_ADD);
}

struct client *client_new(const char *address, int port, int connections, const char *answer) {
    struct client *c = calloc(1, sizeof *c);
    c->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, address, &c->address.sin_addr) != 1)
        fail(64, "load: %s is no IPv4 address", address);
    c->epoll = epoll_create1(EPOLL_CLOEXEC), c->count = connections, c->answer = answer;
    c->connections = calloc((size_t)connections, sizeof *c->connections);
    for (int i = 0; i < connections; i++) connect_to(c, &c->connections[i]);
    return c;
}

void client_free(struct client *c) {
    for (int i = 0; i < c->count; i++) close(c->connections[i].fd);
    close(c->epoll);
    free(c->connections), free(c);
}

/* The request under way went wrong, and the connection is made anew. */
static void spoil(struct client *c, struct connection *k, struct tally *t, const char *why) {
    t->wrong++;
    if (!t->problem[0]) {
        int n = snprintf(
            t->problem, sizeof t->problem, "%s: %.*s", why, (int)(k->got > 150 ? 150 : k->got),
            k->answer);
        for (int i = 0; i < n && i < (int)sizeof t->problem; i++)
            if (t->problem[i] == '"' || t->problem[i] == '\\' || t->problem[i] < ' ' ||
                t->problem[i] > '~')
                t->problem[i] = ' ';
    }
    close(k->fd);
    connect_to(c, k);
}

static void send_more(struct client *c, struct connection *k, struct tally *t) {
    while (k->sent < k->request->length) {
        ssize_t n =
            send(k->fd, k->request->octets + k->sent, k->request->length - k->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN) return spoil(c, k, t, "cannot send");
        if (n < 0) {
            if (!k->waits_to_send) k->waits_to_send = 1, watch(c, k, EPOLL_CTL_MOD);
            return;
        }
        k->sent += (uint32_t)n;
    }
    if (k->waits_to_send) k->waits_to_send = 0, watch(c, k, EPOLL_CTL_MOD);
}

static long number_behind(const char *text, const char *name) {
    const char *p = strstr(text, name);
    return p ? strtol(p + strlen(name), NULL, 10) : -1;
}

/* Whether the answer has come whole. Answers to batches and logs have a Content-Length. */
static int is_whole(const struct connection *k) {
    const char *end = strstr(k->answer, "\r\n\r\n"),
               *length = strcasestr(k->answer, "\r\ncontent-length:");
    return end && length && length < end &&
           k->got >= (size_t)(end + 4 - k->answer) + strtoul(length + 17, NULL, 10);
}

/* What is wrong with an answer that has come whole; NULL where nothing is. */
static const char *complaint(const struct client *c, const struct connection *k) {
    if (strncmp(k->answer, "HTTP/1.1 200 ", 13)) return "not 200";
    if (c->answer)
        return strcmp(strstr(k->answer, "\r\n\r\n") + 4, c->answer) ? "other answer" : NULL;
    return number_behind(k->answer, "\"accepted\":") != (long)k->request->accepted ? "other count"
                                                                                  : NULL;
}

static void receive(struct client *c, struct connection *k, struct tally *t) {
    ssize_t n = recv(k->fd, k->answer + k->got, sizeof k->answer - 1 - k->got, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (!k->request) fail(69, "load: the server closed an idle connection");
    if (n <= 0) return spoil(c, k, t, "closed or too long");
    k->got += (uint32_t)n;
    k->answer[k->got] = 0;
    if (!is_whole(k)) return;
    const char *why = complaint(c, k);
    if (why) return spoil(c, k, t, why);
    t->duplicates += strstr(k->answer, "\"duplicate\":true") != NULL;
    t->events += k->request->accepted;
    if (t->latencies) t->latencies[t->good] = seconds_now() - k->start;
    t->good++;
    k->request = NULL;
}

/* A request is due after so many seconds; negative: none before the next answer. */
static int wait_for(struct client *c, struct epoll_event *events, int room, double seconds) {
    enum { PATIENCE = 60 };
    double most = seconds < 0 ? PATIENCE : seconds;
    struct timespec t = {(time_t)most, (long)((most - (double)(time_t)most) * 1e9)};
    int n = epoll_pwait2(c->epoll, events, room, &t, NULL);
    if (n == 0 && seconds < 0) fail(69, "load: no answer within %d seconds", PATIENCE);
    return n;
}

int client_post(
    struct client *c, const struct request *requests, int count, double rate, double seconds,
    struct tally *tally) {
    struct connection **idle = malloc(sizeof *idle * (size_t)c->count);
    struct epoll_event events[128];
    int idles = 0, next = 0;
    double start = seconds_now();
    for (int i = 0; i < c->count; i++) idle[idles++] = &c->connections[i];
    for (;;) {
        double now = seconds_now(), pause = -1;
        if (seconds > 0 && now - start >= seconds) count = next;
        while (idles && next < count) {
            double due = rate > 0 ? start + next / rate : now;
            if (due > now) {
                pause = due - now;
                break;
            }
            struct connection *k = idle[--idles];
            k->request = &requests[next++], k->sent = k->got = 0;
            k->start = rate > 0 ? due : seconds_now();
            send_more(c, k, tally);
            if (!k->request) idle[idles++] = k;
        }
        if (next == count && idles == c->count) break;
        int n = wait_for(c, events, 128, pause);
        for (int i = 0; i < n; i++) {
            struct connection *k = events[i].data.ptr;
            int was_busy = k->request != NULL;
            if (was_busy && events[i].events & EPOLLOUT)
                send_more(c, k, tally);
            else
                receive(c, k, tally);
            if (was_busy && !k->request) idle[idles++] = k;
        }
    }
    free(idle);
    return next;
}
