#include "check.h"
#include "fail.h"
#include "text.h"

enum { REFUSED = -1 };

/* An event (NOW stands for a good time), and how many a batch with it stores. */
static const struct {
    const char *event;
    int stored;
} cases[] = {
    {"{\"name\":\"screen.view\",\"time\":NOW,\"attributes\":{\"app.screen.name\":"
     "\"a\\u00e9\\ud83d\\ude00\"}}",
     1},
    {" { \"time\" : NOW , \"more\" : [1,{\"a\":[]}] , \"name\" : \"own.name_1\" } ", 1},
    {"{\"name\":\"a\",\"time\":NOW,\"attributes\":{\"x\":-1.5e3,\"y\":true,\"z\":\"cr\xc3\xa8me\"}"
     "}",
     1},
    {"{\"name\":\"usage.counter\",\"time\":NOW,\"attributes\":{\"counter.name\":\"c\",\"counter."
     "value\":7}}",
     1},
    {"{\"name\":\"screen.view\",\"time\":NOW,\"attributes\":{}}", 0},
    {"{\"name\":\"screen.view\",\"time\":NOW,\"attributes\":{\"app.screen.name\":1}}", 0},
    {"{\"name\":\"screen.view\",\"time\":NOW,\"attributes\":{\"app.screen.name\":\"\"}}", 0},
    {"{\"name\":\"usage.counter\",\"time\":NOW,\"attributes\":{\"counter.name\":\"c\",\"counter."
     "value\":0}}",
     0},
    {"{\"name\":\"Screen\",\"time\":NOW}", 0},
    {"{\"name\":\"a..b\",\"time\":NOW}", 0},
    {"{\"name\":7,\"time\":NOW}", 0},
    {"{\"name\":\"a\"}", 0},
    {"{\"name\":\"a\",\"time\":1.5}", 0},
    {"{\"name\":\"a\",\"time\":1000}", 0},
    {"{\"name\":\"a\",\"time\":NOW,\"attributes\":[]}", 0},
    {"{\"name\":\"a\",\"time\":NOW,\"attributes\":{\"k\":{}}}", 0},
    {"{\"name\":\"a\",\"time\":NOW,\"attributes\":{\"k\":null}}", 0},
    {"{\"name\":\"a\",\"time\":NOW,\"attributes\":{\"k\":9007199254740992}}", 0},
    {"{\"name\":\"a\",\"time\":NOW,\"attributes\":{\"session.id\":\"\"}}", 0},
    {"7", 0},
    {"{\"name\":\"a\",\"time\":NOW,\"attributes\":{\"k\":1,\"k\":2}}", REFUSED},
    {"{\"name\":\"a\",\"name\":\"a\",\"time\":NOW}", REFUSED},
    {"{\"name\":\"a\",\"time\":01}", REFUSED},
    {"{\"name\":\"a\",\"time\":NOW,}", REFUSED},
    {"{\"name\":\"a\tb\",\"time\":NOW}", REFUSED},
    {"{\"name\":\"a\\ud800\",\"time\":NOW}", REFUSED},
    {"{\"name\":\"a\\u0000\",\"time\":NOW}", REFUSED},
    {"{\"name\":\"a\\x\",\"time\":NOW}", REFUSED},
    {"{\"name\":\"\xc0\x80\",\"time\":NOW}", REFUSED},
    {"{\"name\":\"\xed\xa0\x80\",\"time\":NOW}", REFUSED},
    {"{\"name\":\"a\",\"time\":NOW", REFUSED},
    {"[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]", REFUSED},
    {"{\"name\":\"a\",\"time\":NOW}]}x", REFUSED},
};

void check_scan(struct scanned *out, int64_t now) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024] = {0}, *p = text;
        p = put(
            p, "{\"batch_id\":\"b-1\",\"resource\":{\"app.installation.id\":\"d\"},\"events\":[");
        for (const char *from = cases[i].event; *from;) {
            if (strncmp(from, "NOW", 3))
                *p++ = *from++;
            else
                p = put_int(p, now), from += 3;
        }
        p = put(p, "]}");
        int refused = scan((const uint8_t *)text, (size_t)(p - text), now, out);
        int stored = refused ? REFUSED : out->count;
        if (stored != cases[i].stored)
            fail(70, "limit: the scan says %d, not %d, of %s", stored, cases[i].stored, text);
    }
}
