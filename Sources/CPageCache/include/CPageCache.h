#pragma once

#include <sqlite3.h>

/*
 * A commit that does not look at every page in memory.
 *
 * After each commit SQLite drops the pages in memory that are behind the end of the file. It goes through all of
 * them only where the highest number a page has had there is behind the end: seldom, it should seem. But where
 * pages of a tree that is balanced swap their numbers, one of them has for a moment the number of the page with
 * the lock bytes, which no tree uses. That is the page at 1 GiB, and of a smaller file each commit afterwards
 * goes through all pages, 16,000 in 64 MiB. Here that page has number 0 meanwhile, which no page of a file has.
 */

/* To be called before SQLite is initialized. Returns its code. */
int sojourn_pages_prepare(void);

/* The same around some methods, of which there is one in a process. */
sqlite3_pcache_methods2 sojourn_pages_around(sqlite3_pcache_methods2 methods);
