/* Keep-alive connections that post requests and judge the answers, on one thread. */
#ifndef CLIENT_H
#define CLIENT_H
#include <stddef.h>
#include <stdint.h>

struct request {
    const char *octets;
    uint32_t length, accepted; /* the events of it, all of them good */
};

struct tally {
    long good, events, duplicates, wrong;
    double *latencies; /* seconds, of good answers; room for as many as there are requests */
    char problem[240]; /* the first thing that went wrong */
};

struct client;

/* Connects; ends the program where nobody listens. `answer` is the body of a right answer; NULL:
   that of a batch, which has to say how many events were accepted. */
struct client *client_new(const char *address, int port, int connections, const char *answer);
void client_free(struct client *c);

/* Posts the requests, each as soon as a connection is free; with a `rate`, so many a second, and
   latencies count from the moment a request was due, so that a stall shows in all that it held up.
   Returns how many were begun within `seconds` (0: all). */
int client_post(
    struct client *c, const struct request *requests, int count, double rate, double seconds,
    struct tally *tally);

#endif
