/* Posts batches to a server, sealed or in another form, and says how it went, as one JSON object.
   Every request is made and laid out in memory before the clock starts. */
#define _GNU_SOURCE
#include "client.h"
#include "clock.h"
#include "fail.h"
#include "maker.h"
#include "pool.h"
#include "process.h"
#include "random.h"
#include "seal.h"
#include <string.h>

static struct {
    const char *address, *app, *key, *secret, *token, *form, *pool, *write_requests, *write_pool;
    int port, connections, batches, events, devices, resources, leave_out, warmup, pid;
    double rate, seconds;
    uint64_t seed, now;
} opt = {
    .address = "127.0.0.1",
    .app = "shop",
    .key = "k1",
    .secret = "",
    .token = "",
    .form = "sealed",
    .connections = 64,
    .batches = 10000,
    .events = 50,
    .devices = 20000,
    .resources = 1,
    .seed = 1};
static const struct form *form;

static const char usage[] =
    "usage: load --port P --secret HEX|--token T [options]\n"
    "  --app A --key K              an app and its key of profile aes128gcm (shop, k1)\n"
    "  --form F                     sealed (with the key), or with an ingest token: plain, otlp "
    "(protobuf), otlp-json (sealed)\n"
    "  --batches N --events N       how many requests of one batch, of how many events (10000 of "
    "50)\n"
    "  --resources N                OTLP: a request has so many batches, each a ResourceLogs (1)\n"
    "  --leave-out N                OTLP: so many of each batch's first events are not sent (0)\n"
    "  --devices N --seed N         whose (20000, 1)\n"
    "  --now MS                     the moment before which the events are (the clock's)\n"
    "  --pool FILE                  post the batches in there instead, all of them\n"
    "  --connections N              each with one request under way (64)\n"
    "  --rate R                     R requests a second, whatever the answers do\n"
    "  --seconds S                  begin none after S seconds\n"
    "  --warmup N                   the first N are not counted (0)\n"
    "  --pid P                      also tell that process's CPU time and memory\n"
    "  --write-requests FILE        write the requests there (each behind its length, 4 octets) "
    "and end\n"
    "  --write-pool FILE            write the batches there for --pool, and end\n"
    "exit: 0 where every answer was 200 with the right count, else 1; 64 wrong usage\n";

/* ---- requests ---- */

struct layout {
    char head[512]; /* of each request, up to its length */
    struct content_key *key;
    char *at, *end;
    double events, sent_octets, json_octets;
};

static struct layout layout_new(void) {
    struct layout l = {.key = form->is_sealed ? content_key_new(opt.key, opt.secret) : NULL};
    char path[128] = "/v1/logs", token[128] = "";
    int n = 0, m = 0;
    if (!form->is_otlp) n = snprintf(path, sizeof path, "/v1/apps/%s/batches", opt.app);
    if (!form->is_sealed)
        m = snprintf(token, sizeof token, "Authorization: Bearer %s\r\n", opt.token);
    if (n >= (int)sizeof path || m >= (int)sizeof token)
        fail(64, "load: the app's name or the token is too long");
    snprintf(
        l.head, sizeof l.head,
        "POST %s HTTP/1.1\r\nHost: %s:%d\r\nUser-Agent: load/1\r\n%s"
        "Content-Type: %s\r\nContent-Encoding: %s\r\n",
        path, opt.address, opt.port, token, form->type, form->encoding);
    return l;
}

/* Puts a gzipped body, sealed where the form is, after its head. Memory of requests is kept to the
   end. */
static struct request lay_out(
    struct layout *l, uint64_t number, const uint8_t *gzip, size_t n, uint32_t accepted) {
    enum { HEAD = sizeof l->head + 64, PIECE = 16 << 20 };
    size_t room = HEAD + sealed_room(n);
    if ((size_t)(l->end - l->at) < room) {
        l->at = malloc(room > PIECE ? room : PIECE);
        if (!l->at) fail(71, "load: no memory for the requests");
        l->end = l->at + (room > PIECE ? room : PIECE);
    }
    uint8_t *body = (uint8_t *)l->at + HEAD;
    if (l->key)
        n = seal(l->key, draw_state(opt.seed, number), gzip, n, body);
    else
        memcpy(body, gzip, n);
    int head = snprintf(l->at, HEAD, "%sContent-Length: %zu\r\n\r\n", l->head, n);
    memmove(l->at + head, body, n);
    struct request made = {l->at, (uint32_t)((size_t)head + n), accepted};
    l->at += made.length, l->events += accepted, l->sent_octets += made.length;
    return made;
}

static struct request *from_pool(struct layout *l, int *count) {
    struct pool pool = pool_map(opt.pool);
    struct request *requests = calloc(pool.count + 1, sizeof *requests);
    for (size_t i = 0; i < pool.count; i++) {
        const struct pool_entry *e = &pool.entries[i];
        requests[i] = lay_out(l, i, pool.octets + e->offset, e->length, e->accepted);
        l->json_octets += e->json_length;
    }
    *count = (int)pool.count;
    return requests;
}

static struct maker maker_for_options(void) {
    int64_t now = opt.now ? (int64_t)opt.now : wall_ms();
    struct workload workload = {opt.seed, opt.events, opt.devices, now, opt.leave_out};
    return maker_new(workload, form, opt.resources);
}

static struct request *from_workload(struct layout *l, int count) {
    struct maker maker = maker_for_options();
    struct request *requests = calloc((size_t)count, sizeof *requests);
    if (!requests) fail(71, "load: no memory for the requests");
    for (int i = 0; i < count; i++) {
        size_t json, n = make_body(&maker, i, &json);
        requests[i] = lay_out(l, (uint64_t)i, maker.gzip, n, maker_events(&maker));
        l->json_octets += (double)json;
    }
    maker_free(&maker);
    return requests;
}

static void write_pool(int count) {
    struct maker maker = maker_for_options();
    struct pool_writer writer;
    pool_create(&writer, opt.write_pool);
    for (int i = 0; i < count; i++) {
        size_t json, n = make_body(&maker, i, &json);
        struct pool_entry entry = {
            .length = (uint32_t)n,
            .json_length = (uint32_t)json,
            .accepted = maker_events(&maker),
            .order = i};
        pool_add(&writer, maker.gzip, entry);
    }
    pool_finish(&writer);
    maker_free(&maker);
}

static void write_requests(const struct request *requests, int count) {
    FILE *file = fopen(opt.write_requests, "wb");
    int bad = !file;
    for (int i = 0; i < count && !bad; i++)
        bad = fwrite(&requests[i].length, 4, 1, file) != 1 ||
              fwrite(requests[i].octets, requests[i].length, 1, file) != 1;
    if (bad || fclose(file)) fail(74, "load: cannot write %s", opt.write_requests);
}

/* ---- options ---- */

static void read_options(int argc, char **argv) {
    struct {
        const char *name;
        const char **text;
        int *number;
        double *real;
        uint64_t *large;
    } known[] = {
        {"--address", &opt.address, 0, 0, 0},
        {"--app", &opt.app, 0, 0, 0},
        {"--key", &opt.key, 0, 0, 0},
        {"--secret", &opt.secret, 0, 0, 0},
        {"--pool", &opt.pool, 0, 0, 0},
        {"--token", &opt.token, 0, 0, 0},
        {"--form", &opt.form, 0, 0, 0},
        {"--port", 0, &opt.port, 0, 0},
        {"--batches", 0, &opt.batches, 0, 0},
        {"--events", 0, &opt.events, 0, 0},
        {"--devices", 0, &opt.devices, 0, 0},
        {"--resources", 0, &opt.resources, 0, 0},
        {"--leave-out", 0, &opt.leave_out, 0, 0},
        {"--warmup", 0, &opt.warmup, 0, 0},
        {"--pid", 0, &opt.pid, 0, 0},
        {"--connections", 0, &opt.connections, 0, 0},
        {"--rate", 0, 0, &opt.rate, 0},
        {"--seconds", 0, 0, &opt.seconds, 0},
        {"--seed", 0, 0, 0, &opt.seed},
        {"--now", 0, 0, 0, &opt.now},
        {"--write-requests", &opt.write_requests, 0, 0, 0},
        {"--write-pool", &opt.write_pool, 0, 0, 0},
    };
    for (int i = 1; i < argc; i += 2) {
        size_t k = 0, all = sizeof known / sizeof known[0];
        while (k < all && strcmp(argv[i], known[k].name)) k++;
        if (k == all || i + 1 == argc) fail(64, "%s", usage);
        if (known[k].text) *known[k].text = argv[i + 1];
        if (known[k].number) *known[k].number = atoi(argv[i + 1]);
        if (known[k].real) *known[k].real = atof(argv[i + 1]);
        if (known[k].large) *known[k].large = strtoull(argv[i + 1], NULL, 10);
    }
    form = form_named(opt.form);
    int is_for_otlp = opt.resources != 1 || opt.leave_out;
    if (opt.connections < 1 || opt.batches < 1 || opt.events < 1 || opt.events > 5000 ||
        opt.devices < 1 || opt.warmup < 0 || (!opt.write_requests && !opt.write_pool && !opt.port))
        fail(64, "%s", usage);
    if (!form || (!form->is_sealed && !opt.token[0]) || (is_for_otlp && !form->is_otlp) ||
        (form->is_otlp && (opt.pool || opt.write_pool)) || opt.resources < 1 ||
        opt.resources > 1000 || opt.leave_out < 0 || opt.leave_out >= opt.events)
        fail(64, "%s", usage);
}

/* ---- the answer ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nearest rank, milliseconds. */
static double percentile(const struct tally *t, double p) {
    if (!t->good) return 0;
    long rank = (long)(p * (double)t->good + 0.999999);
    return t->latencies[(rank < 1 ? 1 : rank > t->good ? t->good : rank) - 1] * 1000;
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    int count = opt.batches + opt.warmup;
    if (opt.write_pool) return write_pool(count), 0;
    struct layout layout = layout_new();
    struct request *requests = opt.pool ? from_pool(&layout, &count)
                                        : from_workload(&layout, count);
    if (opt.write_requests) return write_requests(requests, count), 0;
    if (count <= opt.warmup) fail(64, "load: nothing is left after the warm-up");

    struct tally warm = {0}, tally = {.latencies = malloc(sizeof(double) * (size_t)count)};
    struct client *client = client_new(opt.address, opt.port, opt.connections, form->answer);
    client_post(client, requests, opt.warmup, 0, 0, &warm);
    double server = opt.pid ? process_cpu(opt.pid) : 0, own = own_cpu(), machine = machine_cpu(),
           start = seconds_now();
    int begun = client_post(
        client, requests + opt.warmup, count - opt.warmup, opt.rate, opt.seconds, &tally);
    double took = seconds_now() - start;
    server = opt.pid ? process_cpu(opt.pid) - server : 0, own = own_cpu() - own,
    machine = machine_cpu() - machine;
    client_free(client);

    qsort(tally.latencies, (size_t)tally.good, sizeof(double), ascending);
    double events = tally.events ? (double)tally.events : 1,
           other = (machine - own - server) / took;
    printf(
        "{\"requests\":%d,\"good\":%ld,\"wrong\":%ld,\"duplicates\":%ld,\"events\":%ld,\"seconds\":"
        "%.3f,"
        "\"events_per_s\":%.0f,\"requests_per_s\":%.1f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":"
        "%.3f,"
        "\"max_ms\":%.3f,\"json_octets_per_event\":%.1f,\"sent_octets_per_event\":%.1f,\"client_"
        "cpu_us\":%.3f,"
        "\"server_cpu_us\":%.3f,\"server_peak_kib\":%ld,\"other_cores\":%.2f,\"problem\":\"%s\"}\n",
        begun, tally.good, tally.wrong + warm.wrong, tally.duplicates, tally.events, took,
        events / took, (double)tally.good / took, percentile(&tally, 0.5), percentile(&tally, 0.99),
        percentile(&tally, 0.999), percentile(&tally, 1),
        layout.json_octets / layout.events, layout.sent_octets / layout.events, own * 1e6 / events,
        server * 1e6 / events, opt.pid ? process_peak_kib(opt.pid) : 0, other > 0 ? other : 0,
        tally.problem[0] ? tally.problem : warm.problem);
    return tally.wrong + warm.wrong ? 1 : 0;
}
