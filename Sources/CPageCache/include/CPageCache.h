/* A layer over SQLite's own pages in memory (https://www.sqlite.org/c3ref/pcache_methods2.html), so that
 * a commit does not look at all of them.
 *
 * At a commit SQLite drops the pages that are behind the end of the file. It goes through all pages only
 * where one has had such a number since the last time: seldom, it should seem. But where pages of a tree
 * that is balanced swap their numbers, one of them has for a moment that of the page with the lock bytes,
 * which no tree uses. It is the page at 1 GiB, so a commit of a smaller file that has balanced a tree goes
 * through all pages, 16,000 in 64 MiB. Here that page has number 0 meanwhile, which no page of a file has.
 *
 * Only while all files of the process have pages of 4 KiB: of another size that number is another page's. */
#ifndef CPAGECACHE_H
#define CPAGECACHE_H

#include <sqlite3.h>

/* To be called before SQLite is initialized. Returns its code. */
int cpagecache_prepare(void);

/* The same around some methods, of which there is one in a process. */
sqlite3_pcache_methods2 cpagecache_around(sqlite3_pcache_methods2 methods);

/* How many pages have had number 0 so far. */
unsigned long cpagecache_put_aside(void);

#endif
