/*
 * libcurl for Swift. What stands here exists because Swift cannot call C functions with a variable
 * number of arguments, and for no other reason.
 */
#ifndef SOJOURN_CCURL_SHIM_H
#define SOJOURN_CCURL_SHIM_H

/* The type check is a macro over curl_easy_setopt that needs to see each option as a constant;
 * below it is a parameter. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* curl_easy_setopt is variadic: options that take a number. */
static inline CURLcode sojourn_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/* curl_easy_setopt is variadic: options that take a size or a time of 64 bits. */
static inline CURLcode sojourn_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/* curl_easy_setopt is variadic: options that take a text (libcurl copies it), a list, bytes or
 * what a callback is given (libcurl copies none of these). */
static inline CURLcode sojourn_curl_set_pointer(CURL *handle, CURLoption option,
                                                const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/* curl_easy_setopt is variadic: CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION. */
static inline CURLcode sojourn_curl_set_receiver(CURL *handle, CURLoption option,
                                                 curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}

/* curl_easy_setopt is variadic: CURLOPT_OPENSOCKETFUNCTION. */
static inline CURLcode sojourn_curl_set_opener(CURL *handle, curl_opensocket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

/* curl_easy_setopt is variadic: CURLOPT_PREREQFUNCTION. */
static inline CURLcode sojourn_curl_set_prerequest(CURL *handle, curl_prereq_callback value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

/* curl_easy_getinfo is variadic: answers that are a number. */
static inline CURLcode sojourn_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

/* curl_multi_setopt is variadic: options that take a number. */
static inline CURLMcode sojourn_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

#endif
