/* libmodsecurity: a transaction for each request, without rules, with transformations, with the CRS. */

#include "peer.h"

#include <modsecurity/modsecurity.h>
#include <modsecurity/rules_set.h>
#include <modsecurity/transaction.h>
#include <stdio.h>
#include <string.h>

#define ENGINE "SecRuleEngine DetectionOnly\nSecRequestBodyAccess On\n"

/* What this library does to every value, and no more: nothing is looked for. */
#define TRANSFORMATIONS                                                                                       \
    "SecRule REQUEST_URI|ARGS|ARGS_NAMES|REQUEST_HEADERS|REQUEST_COOKIES|REQUEST_COOKIES_NAMES "              \
    "\"@streq \x01\" \"id:1,phase:2,pass,nolog,t:none,t:urlDecodeUni,t:htmlEntityDecode,t:normalizePath,"     \
    "t:removeNulls,t:compressWhitespace,t:lowercase\"\n"

static const struct {
    const char *contender, *rules;
} SETS[] = {
    {"modsecurity", ENGINE},
    {"modsecurity-transformations", ENGINE TRANSFORMATIONS},
    {"modsecurity-crs", ENGINE "Include /etc/modsecurity/crs/crs-setup.conf\n"
                               "Include /usr/share/modsecurity-crs/rules/*.conf\n"},
};

#define SET_COUNT (sizeof SETS / sizeof SETS[0])

static ModSecurity *engine;
static RulesSet *loaded[SET_COUNT], *rules;

static void ignore_log(void *data, const void *message) {
    (void)data;
    (void)message;
}

int peer_prepare(const char *contender) {
    size_t i = 0;
    while (i < SET_COUNT && strcmp(contender, SETS[i].contender) != 0) i++;
    if (i == SET_COUNT) return 0;
    if (engine == NULL) {
        engine = msc_init();
        msc_set_log_cb(engine, ignore_log);
    }
    if (loaded[i] == NULL) {
        const char *error = NULL;
        loaded[i] = msc_create_rules_set();
        if (msc_rules_add(loaded[i], SETS[i].rules, &error) < 0) {
            fprintf(stderr, "error: %s\n", error);
            return 0;
        }
    }
    rules = loaded[i];
    return 1;
}

void peer_read(const struct request *request) {
    Transaction *transaction = msc_new_transaction(engine, rules, NULL);
    msc_process_connection(transaction, "127.0.0.1", 32768, "127.0.0.1", 80);
    msc_process_uri(transaction, request->target, request->method, request->version);
    for (size_t i = 0; i < request->header_count; i++) {
        const struct header *header = &request->headers[i];
        msc_add_n_request_header(transaction, (const unsigned char *)header->name, header->name_length,
                                 (const unsigned char *)header->value, header->value_length);
    }
    msc_process_request_headers(transaction);
    if (request->body_length > 0) {
        msc_append_request_body(transaction, (const unsigned char *)request->body, request->body_length);
    }
    msc_process_request_body(transaction);
    msc_transaction_cleanup(transaction);
}
