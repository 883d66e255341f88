#include "CPageCache.h"

#include <stdatomic.h>

/* Of the page with the lock bytes, in files of pages of this size. */
enum { PAGE_SIZE = 4096, LOCK_PAGE = 0x40000000 / PAGE_SIZE + 1 };

static sqlite3_pcache_methods2 original;
/* Some file has pages of another size. */
static atomic_bool has_other_sizes;
static atomic_ulong put_aside;
/* The page that this thread has given number 0. SQLite gives it another before anything else happens. */
static _Thread_local sqlite3_pcache_page *aside;

static sqlite3_pcache *create(int page_size, int extra, int is_purgeable) {
    if (page_size != PAGE_SIZE) atomic_store(&has_other_sizes, 1);
    return original.xCreate(page_size, extra, is_purgeable);
}

static void rekey(sqlite3_pcache *cache, sqlite3_pcache_page *page, unsigned before, unsigned after) {
    /* First: the other sizes may have come meanwhile. */
    if (page == aside) {
        before = 0;
        aside = 0;
    }
    if (after == LOCK_PAGE && !atomic_load_explicit(&has_other_sizes, memory_order_relaxed)) {
        after = 0;
        aside = page;
        atomic_fetch_add_explicit(&put_aside, 1, memory_order_relaxed);
    }
    original.xRekey(cache, page, before, after);
}

sqlite3_pcache_methods2 cpagecache_around(sqlite3_pcache_methods2 methods) {
    original = methods;
    methods.xCreate = create;
    methods.xRekey = rekey;
    return methods;
}

int cpagecache_prepare(void) {
    sqlite3_pcache_methods2 methods;
    int code = sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &methods);
    if (code != SQLITE_OK) return code;
    methods = cpagecache_around(methods);
    return sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
}

unsigned long cpagecache_put_aside(void) {
    return atomic_load_explicit(&put_aside, memory_order_relaxed);
}
