/* The three commands of every measured program, for C libraries: see ../src/program.rs. */

#define _GNU_SOURCE
#include "peer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct request *requests;
static size_t request_count;

/* Allocations are counted by standing in for the functions of the C library, C++'s `new` included. */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static uint64_t allocations, allocated;

static void note(size_t size) {
    allocations++;
    allocated += size;
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    note(size);
    return __libc_realloc(old, size);
}

static void fail(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    exit(1);
}

/* A copy that ends in NUL. */
static const char *copy(const char *from, size_t length) {
    char *to = malloc(length + 1);
    if (to == NULL) fail("no memory");
    memcpy(to, from, length);
    to[length] = 0;
    return to;
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without the blanks around it. */
static const char *trimmed(const char *from, const char *end, size_t *length) {
    while (from < end && is_blank(*from)) from++;
    while (from < end && is_blank(end[-1])) end--;
    *length = (size_t)(end - from);
    return copy(from, *length);
}

/* Cuts a request, as leniently as can be: what cannot be cut goes along with what is before it. */
static void cut(struct request *request) {
    const char *at = request->bytes, *end = at + request->length;
    const char *line_end = memchr(at, '\n', request->length);
    size_t length;
    if (line_end == NULL) line_end = end;
    const char *last = line_end;
    while (last > at && is_blank(last[-1])) last--;
    const char *first_space = memchr(at, ' ', (size_t)(last - at));
    const char *last_space = memrchr(at, ' ', (size_t)(last - at));
    if (first_space == NULL) first_space = last_space = last;
    if (last_space == first_space) last_space = last;
    request->method = trimmed(at, first_space, &length);
    request->target = trimmed(first_space, last_space, &length);
    /* libmodsecurity wants the number alone. */
    const char *slash = memchr(last_space, '/', (size_t)(last - last_space));
    request->version = slash == NULL ? "1.1" : trimmed(slash + 1, last, &length);
    request->headers = calloc(request->length / 2 + 1, sizeof *request->headers);
    if (request->headers == NULL) fail("no memory");
    at = line_end < end ? line_end + 1 : end;
    while (at < end) {
        line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL) line_end = end;
        const char *next = line_end < end ? line_end + 1 : end;
        if (line_end == at || (line_end == at + 1 && *at == '\r')) {
            at = next;
            break;
        }
        if (is_blank(*at) && request->header_count > 0) {
            /* A fold: once more with the name before it. */
            struct header *before = &request->headers[request->header_count - 1];
            struct header *header = &request->headers[request->header_count++];
            header->name = before->name;
            header->name_length = before->name_length;
            header->value = trimmed(at, line_end, &header->value_length);
        } else {
            struct header *header = &request->headers[request->header_count++];
            const char *colon = memchr(at, ':', (size_t)(line_end - at));
            if (colon == NULL) colon = line_end;
            header->name = trimmed(at, colon, &header->name_length);
            header->value = trimmed(colon < line_end ? colon + 1 : colon, line_end, &header->value_length);
        }
        at = next;
    }
    request->body = at;
    request->body_length = (size_t)(end - at);
}

static void load(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail("the corpus cannot be read");
    long size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc((size_t)size + 1);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size) fail("the corpus cannot be read");
    fclose(file);
    requests = calloc((size_t)size / 4 + 1, sizeof *requests);
    if (requests == NULL) fail("no memory");
    for (size_t at = 0; at + 4 <= (size_t)size;) {
        size_t length = bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16 |
                        (size_t)bytes[at + 3] << 24;
        if (length > (size_t)size - at - 4) fail("a request is cut off");
        struct request *request = &requests[request_count++];
        request->bytes = (const char *)bytes + at + 4;
        request->length = length;
        cut(request);
        at += 4 + length;
    }
}

static void pass(void) {
    for (size_t i = 0; i < request_count; i++) peer_read(&requests[i]);
}

/* Callgrind collects in here alone. */
__attribute__((noinline)) void counted_pass(void) {
    pass();
    __asm__ volatile("");
}

/* Shorter than these nanoseconds, a round tells more of the scheduler than of who is measured. */
#define LEAST 10000000LL

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "serve") == 0) {
        char line[256];
        load(argv[2]);
        while (fgets(line, sizeof line, stdin) != NULL) {
            long long from, passes = 0;
            line[strcspn(line, "\n")] = 0;
            if (!peer_prepare(line)) fail("no such contender");
            from = now();
            do {
                pass();
                passes++;
            } while (now() - from < LEAST);
            printf("%lld\n", (now() - from) / passes);
            fflush(stdout);
        }
        return 0;
    }
    if (argc != 4) fail("no such command");
    load(argv[3]);
    if (!peer_prepare(argv[2])) fail("no such contender");
    pass();
    if (strcmp(argv[1], "count") == 0) {
        counted_pass();
        puts("0");
    } else if (strcmp(argv[1], "allocations") == 0) {
        uint64_t allocations_before = allocations, allocated_before = allocated;
        pass();
        uint64_t allocations_after = allocations, allocated_after = allocated;
        printf("%llu %llu\n", (unsigned long long)(allocations_after - allocations_before),
               (unsigned long long)(allocated_after - allocated_before));
    } else {
        fail("no such command");
    }
    return 0;
}
