/*
 * libcurl for Swift, which cannot call C functions with a variable number of arguments.
 */
#ifndef SOJOURN_CLIENT_CCURL_SHIM_H
#define SOJOURN_CLIENT_CCURL_SHIM_H

/* The type check is a macro that wants to see each option as a constant; below it is a parameter. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Options that take a number. */
static inline CURLcode sojourn_client_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/* Options that take a size of 64 bits. */
static inline CURLcode sojourn_client_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/* Options that take a text (libcurl copies it), a list, bytes, or what a callback is given (it copies none of these). */
static inline CURLcode sojourn_client_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/* CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION. */
static inline CURLcode sojourn_client_set_receiver(CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}

/* Answers that are a number. */
static inline CURLcode sojourn_client_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

#endif
