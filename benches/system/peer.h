/* What a measured program of a C library has to provide; peer.c does the rest. */

#ifndef PEER_H
#define PEER_H

#include <stddef.h>

/* A request, and its parts as a server hands them on. Strings end in NUL. */
struct header {
    const char *name, *value;
    size_t name_length, value_length;
};

struct request {
    const char *bytes;
    size_t length;
    const char *method, *target, *version;
    struct header *headers;
    size_t header_count;
    const char *body;
    size_t body_length;
};

/* Gets ready to be `contender`; 0 when there is none of that name. */
int peer_prepare(const char *contender);

/* Reads one request, as the contender made ready last. */
void peer_read(const struct request *request);

#endif
