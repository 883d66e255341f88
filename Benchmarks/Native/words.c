#include "words.h"

const struct platform platforms[PLATFORMS] = {
    {"iOS", "18.1", "18.2", "iPhone16,2", "Apple"},
    {"iOS", "17.6.1", "18.1", "iPhone14,5", "Apple"},
    {"iOS", "18.0", "18.2", "iPhone15,3", "Apple"},
    {"Android", "14", "15", "SM-S918B", "samsung"},
    {"Android", "13", "14", "Pixel 7", "Google"},
    {"Android", "12", "13", "M2101K6G", "Xiaomi"},
};

const char *const releases[RELEASES] = {"4.9.2", "5.0.0", "5.0.1", "5.1.0", "5.1.3", "5.2.0"};

const char *const screens[SCREENS] = {
    "home",       "menu",         "menu.category", "product.detail", "basket",   "checkout",
    "order.done", "article.list", "article",       "profile",        "settings", "search",
    "store.map",  "store",        "vouchers",      "help",
};

const char *const counters[COUNTERS] = {
    "tap.order",     "tap.share",   "search.run",   "voucher.redeem", "push.opened", "filter.used",
    "tap.favourite", "list.sorted", "photo.zoomed", "coupon.copied",  "tap.call",    "tap.route",
};
