/* libhtp, with everything on that reads a request: query and body parameters, cookies. */

#include "peer.h"

#include <htp/htp.h>
#include <string.h>

/* Beyond its limit it gives up; the default is below what `big` has. */
#define LONGEST_LINE (1 << 20)

static htp_cfg_t *config;

int peer_prepare(const char *contender) {
    if (strcmp(contender, "libhtp") != 0) return 0;
    if (config != NULL) return 1;
    config = htp_config_create();
    if (config == NULL) return 0;
    htp_config_set_server_personality(config, HTP_SERVER_IDS);
    htp_config_set_parse_request_cookies(config, 1);
    htp_config_register_urlencoded_parser(config);
    htp_config_set_field_limits(config, LONGEST_LINE / 2, LONGEST_LINE);
    return 1;
}

void peer_read(const struct request *request) {
    /* Each on a connection of its own: a parser that has given up reads no more. */
    htp_connp_t *parser = htp_connp_create(config);
    htp_connp_open(parser, "127.0.0.1", 32768, "127.0.0.1", 80, NULL);
    htp_connp_req_data(parser, NULL, request->bytes, request->length);
    htp_connp_close(parser, NULL);
    htp_connp_destroy_all(parser);
}
