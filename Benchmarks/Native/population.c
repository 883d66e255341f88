/* Makes a population's batches and the same events as tables: OUT/batches.pool for `load --pool`,
   OUT/events.csv and OUT/batches.csv for a database to compare with; with --numbers 1 of events that all
   carry a number. The same options make the same
   octets.

   A device is installed, used in sessions of 5 to 20 events that grow rarer or not, and given up.
   It keeps its events until there are 50 and sends what is left at its end. One batch of ten is
   sent hours late; of five hundred, one is lost (a hole in the sequence), and one holds an event
   that the server has to reject. */
#define _GNU_SOURCE
#include "fail.h"
#include "pool.h"
#include "random.h"
#include "text.h"
#include "words.h"
#include <errno.h>
#include <libdeflate.h>
#include <math.h>

enum { BATCH = 50, SESSION_MOST = 20, CONTENTS = 2000, VIDEOS = 300 };
static const int64_t hour = 3600000, day = 86400000;

static struct {
    int64_t events, devices, days, until;
    uint64_t seed;
    const char *out;
    int is_of_numbers; /* every event is a page.load */
} opt = {.events = 1000000, .devices = 20000, .days = 90, .seed = 1};

struct event {
    const char *name, *key, *text; /* the attribute beside session.id; NULL for none */
    char content[16];
    int64_t time, value, session;
    int64_t load; /* tenths of a millisecond; 0 for none */
};

struct device {
    int64_t number, sequence, installed, life, update_at;
    uint64_t draws;
    const struct platform *platform;
    int lag; /* days until it takes a release */
};

static struct {
    struct pool_writer pool;
    FILE *events, *batches;
    struct libdeflate_compressor *compressor;
    char *json;
    uint8_t *gzip;
    size_t gzip_room;
    int64_t batch_count, event_count, rejected, sessions;
    struct event pending[BATCH];
    int pending_count;
} out;

/* ---- a batch ---- */

static const char *release_of(const struct device *d, int64_t time) {
    int64_t age = (opt.until - time) / day + d->lag, place = RELEASES - 1 - age / 18;
    return releases[place < 0 ? 0 : place];
}

static char *put_event(char *p, const struct event *e) {
    p = put(p, "{\"name\":\""), p = put(p, e->name), p = put(p, "\",\"time\":"),
    p = put_int(p, e->time);
    p = put(p, ",\"attributes\":{\"session.id\":\""), p = put_hex(p, (uint64_t)e->session, 12),
    *p++ = '"';
    if (e->key) {
        p = put(p, ",\""), p = put(p, e->key), p = put(p, "\":\"");
        p = put(p, e->text ? e->text : e->content), *p++ = '"';
    }
    if (e->value) p = put(p, ",\"counter.value\":"), p = put_int(p, e->value);
    if (e->load) {
        p = put(p, ",\"load.ms\":"), p = put_int(p, e->load / 10);
        if (e->load % 10) *p++ = '.', *p++ = (char)('0' + e->load % 10);
    }
    return put(p, "}}");
}

static void write_rows(const struct device *d, const char *os_version, const char *version) {
    for (int i = 0; i < out.pending_count; i++) {
        const struct event *e = &out.pending[i];
        fprintf(
            out.events, "%lld,%d,%lld,%lld,%s,%lld,%s,%s,%s,\"%s\",%s,%s,",
            (long long)out.batch_count, i, (long long)d->number, (long long)e->time, e->name,
            (long long)e->session, d->platform->os, os_version, version, d->platform->model,
            e->key ? e->key : "", e->key ? e->text ? e->text : e->content : "");
        if (e->value) fprintf(out.events, "%lld", (long long)e->value);
        fputc(',', out.events);
        if (e->load) fprintf(out.events, "%.1f", (double)e->load / 10);
        fputc('\n', out.events);
    }
}

/* Sends what the device has kept. */
static void flush(struct device *d) {
    if (!out.pending_count) return;
    int lost = draw_below(&d->draws, 500) == 0, bad = draw_below(&d->draws, 500) == 0;
    int late = draw_below(&d->draws, 10) == 0;
    int64_t last = out.pending[out.pending_count - 1].time;
    int64_t sent = last +
                   (late ? 2 * hour + (int64_t)draw_below(&d->draws, 34 * (uint64_t)hour) : 30000);
    int64_t dropped = draw_below(&d->draws, 200) == 0 ? 1 + (int64_t)draw_below(&d->draws, 30) : 0;
    const char *os_version = last >= d->update_at ? d->platform->update : d->platform->version;
    const char *version = release_of(d, last);
    uint64_t id = draw_state(opt.seed ^ 0xd6e8feb8, (uint64_t)d->number);
    uint64_t a = draw(&id), b = draw(&id);
    char *p = out.json;
    d->sequence += 1 + lost;
    p = put(p, "{\"schema\":1,\"batch_id\":\"p-"), p = put_int(p, d->number), *p++ = '-',
    p = put_int(p, d->sequence);
    p = put(p, "\",\"sequence\":"), p = put_int(p, d->sequence);
    p = put(p, ",\"dropped_events\":"), p = put_int(p, dropped);
    p = put(p, ",\"resource\":{\"app.installation.id\":\""), p = put_uuid(p, a, b);
    p = put(p, "\",\"os.name\":\""), p = put(p, d->platform->os);
    p = put(p, "\",\"os.version\":\""), p = put(p, os_version);
    p = put(p, "\",\"device.model.identifier\":\""), p = put(p, d->platform->model);
    p = put(p, "\",\"device.manufacturer\":\""), p = put(p, d->platform->maker);
    p = put(p, "\",\"service.version\":\""), p = put(p, version), p = put(p, "\"},\"events\":[");
    for (int i = 0; i < out.pending_count; i++) {
        if (i) *p++ = ',';
        p = put_event(p, &out.pending[i]);
    }
    if (bad) p = put(p, ",{\"name\":\"screen.view\",\"time\":\"now\"}");
    p = put(p, "]}");

    struct pool_entry entry = {
        .json_length = (uint32_t)(p - out.json),
        .accepted = (uint32_t)out.pending_count,
        .rejected = (uint32_t)bad,
        .order = sent};
    entry.length = (uint32_t)libdeflate_gzip_compress(
        out.compressor, out.json, entry.json_length, out.gzip, out.gzip_room);
    pool_add(&out.pool, out.gzip, entry);
    write_rows(d, os_version, version);
    fprintf(
        out.batches, "%lld,%lld,%lld,%lld,%d,%d\n", (long long)out.batch_count,
        (long long)d->number, (long long)d->sequence, (long long)dropped, out.pending_count, bad);
    out.batch_count++, out.event_count += out.pending_count, out.rejected += bad;
    out.pending_count = 0;
}

/* ---- a session ---- */

static void content(
    struct event *e, uint64_t *r, const char *key, const char *prefix, uint64_t count) {
    /* The square of an even draw: some are seen far more often than others. */
    uint64_t side = (uint64_t)sqrt((double)count) + 1, x = draw_below(r, side),
             y = draw_below(r, side);
    e->key = key;
    put_int(put(memset(e->content, 0, sizeof e->content), prefix), (int64_t)(x * y % count));
}

static double even(uint64_t *r) { return (double)(draw(r) >> 11) / 9007199254740992.0; }

/* How long a screen took to load: 40 ms and more, mostly some hundreds, rarely some thousands. */
static int64_t load_time(uint64_t *r) {
    return 400 + (int64_t)(-log(1 - even(r)) * -log(1 - even(r)) * 4000);
}

/* Draws what happens inside a session; `before` is the event that came last. */
static void happen(struct event *e, const struct event *before, uint64_t *r) {
    uint64_t kind = draw_below(r, 100);
    int enters = !strcmp(before->name, "video.enter_fullscreen");
    if (enters && kind < 85) {
        e->name = "video.exit_fullscreen", e->key = "video.id",
        memcpy(e->content, before->content, 16);
    } else if (!strcmp(before->name, "content.view") && kind < 45) {
        e->name = "content.complete", e->key = "content.id",
        memcpy(e->content, before->content, 16);
    } else if (kind < 50) {
        e->name = "screen.view", e->key = "app.screen.name";
        e->text = screens[draw_below(r, 3) ? draw_below(r, 7) : draw_below(r, SCREENS)];
        e->load = load_time(r);
    } else if (kind < 72) {
        e->name = "usage.counter", e->key = "counter.name",
        e->text = counters[draw_below(r, COUNTERS)];
        e->value = 1 + (int64_t)draw_below(r, 5);
    } else if (kind < 92) {
        e->name = "content.view", content(e, r, "content.id", "c-", CONTENTS);
    } else {
        e->name = "video.enter_fullscreen", content(e, r, "video.id", "v-", VIDEOS);
    }
}

/* At most 20 events, each 0.5 to 40 s after the one before, with one pause of at most 15 minutes:
   under half an hour. */
static void use(struct device *d, int64_t start, int count) {
    struct event before = {.name = ""};
    int64_t time = start, session = out.sessions++;
    int pause = count >= 10 && draw_below(&d->draws, 4) == 0 ? count / 2 : -1;
    /* What wakes the app during a pause is no use: a quarter of them has two such events. */
    int resumes = pause + 1 + (draw_below(&d->draws, 4) == 0 ? 2 : 0);
    int ends = draw_below(&d->draws, 10) != 0;
    for (int i = 0; i < count; i++) {
        struct event e = {.time = time, .session = session};
        if (opt.is_of_numbers)
            e.name = "page.load", e.key = "page", e.text = screens[draw_below(&d->draws, SCREENS)],
            e.load = load_time(&d->draws);
        else if (i == 0)
            e.name = "session.start";
        else if (i == pause)
            e.name = "session.end";
        else if (i == resumes && pause > 0)
            e.name = "session.resume";
        else if (i == count - 1 && ends)
            e.name = "session.end";
        else
            happen(&e, &before, &d->draws);
        before = e;
        out.pending[out.pending_count++] = e;
        if (out.pending_count == BATCH) flush(d);
        time += 500 + (int64_t)draw_below(&d->draws, 39500);
        if (i == pause) time += (int64_t)draw_below(&d->draws, 14 * 60000);
    }
}

/* ---- a device ---- */

static void live(int64_t number, int64_t events) {
    struct device d = {.number = number, .draws = draw_state(opt.seed, (uint64_t)number)};
    int sizes[4096], sessions = 0;
    d.platform = &platforms[draw_below(&d.draws, PLATFORMS)];
    d.lag = (int)draw_below(&d.draws, 40);
    d.update_at = opt.until - (int64_t)draw_below(&d.draws, (uint64_t)(opt.days * 2 * day));
    while (events > 0 && sessions < 4096) {
        int size = 5 + (int)draw_below(&d.draws, SESSION_MOST - 4);
        sizes[sessions] = events - size < 5 && events <= SESSION_MOST ? (int)events : size;
        events -= sizes[sessions++];
    }
    /* Two of five are there from the beginning; the others come one after the other. */
    int64_t range = opt.days * day, least = sessions * hour;
    int64_t begin = draw_below(&d.draws, 5) < 2 ? 0 : (int64_t)(even(&d.draws) * (double)range);
    int64_t life = day + (int64_t)(-log(1 - even(&d.draws)) * 40 * (double)day);
    if (begin + life > range) life = range - begin;
    if (life < least) life = least;
    if (begin + life > range) begin = range - life;
    d.installed = opt.until - range + begin, d.life = life;
    /* One session in the first half of each slot, of an hour or longer: none overlap. */
    int64_t slot = life / sessions;
    for (int i = 0; i < sessions; i++)
        use(&d, d.installed + i * slot + (int64_t)draw_below(&d.draws, (uint64_t)slot / 2),
            sizes[i]);
    flush(&d);
}

/* ---- all ---- */

static FILE *create(const char *name, const char *head) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", opt.out, name);
    FILE *file = fopen(path, "w");
    if (!file) fail(73, "population: cannot create %s: %s", path, strerror(errno));
    setvbuf(file, NULL, _IOFBF, 1 << 20);
    fputs(head, file);
    return file;
}

static void close_file(FILE *file) {
    int bad = ferror(file);
    if (fclose(file) || bad)
        fail(74, "population: cannot write to %s: %s", opt.out, strerror(errno));
}

static void read_options(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (!strcmp(name, "--events"))
            opt.events = atoll(value);
        else if (!strcmp(name, "--devices"))
            opt.devices = atoll(value);
        else if (!strcmp(name, "--days"))
            opt.days = atoll(value);
        else if (!strcmp(name, "--seed"))
            opt.seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--until"))
            opt.until = atoll(value);
        else if (!strcmp(name, "--numbers"))
            opt.is_of_numbers = atoi(value);
        else if (!strcmp(name, "--out"))
            opt.out = value;
        else
            fail(64, "population: unknown option %s", name);
    }
    if (argc % 2 == 0 || !opt.out || opt.until <= 0 || opt.days < 2 || opt.days > 390 ||
        opt.devices < 1 || opt.events < opt.devices * 5 || opt.events / opt.devices > 2000)
        fail(
            64, "usage: population --until MS --out FOLDER [--events N] [--devices N] [--days "
                "2-390] [--seed N] [--numbers 0|1]\n"
                "5 to 2000 events a device");
}

int main(int argc, char **argv) {
    char path[4096];
    read_options(argc, argv);
    snprintf(path, sizeof path, "%s/batches.pool", opt.out);
    pool_create(&out.pool, path);
    out.events = create(
        "events.csv",
        "batch,idx,device,time,name,session,os,os_version,version,model,key,text,value,load\n");
    out.batches = create("batches.csv", "batch,device,sequence,dropped,accepted,rejected\n");
    out.compressor = libdeflate_alloc_compressor(6);
    out.json = malloc(BATCH * 512 + 4096);
    out.gzip_room = libdeflate_gzip_compress_bound(out.compressor, BATCH * 512 + 4096);
    out.gzip = malloc(out.gzip_room);

    uint64_t shares = draw_state(opt.seed, 0xffffffff);
    int64_t left = opt.events;
    for (int64_t number = 0; number < opt.devices; number++) {
        int64_t others = opt.devices - number - 1;
        double mean = (double)(left - 5 * others - 5) / (double)(others + 1);
        int64_t events = others ? 5 + (int64_t)(mean * -log(1 - even(&shares))) : left;
        if (events > left - 5 * others) events = left - 5 * others;
        /* What the last one would have to make up for others is bounded by what any may have. */
        if (events > 20000) events = 20000;
        live(number, events);
        left -= events;
    }
    pool_finish(&out.pool);
    close_file(out.events), close_file(out.batches);
    printf(
        "{\"events\":%lld,\"batches\":%lld,\"rejected\":%lld,\"sessions\":%lld,\"devices\":%lld}\n",
        (long long)out.event_count, (long long)out.batch_count, (long long)out.rejected,
        (long long)out.sessions, (long long)opt.devices);
    return 0;
}
