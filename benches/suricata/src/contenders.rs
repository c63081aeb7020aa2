//! The one contender of this program.

use std::hint::black_box;
use std::ptr::null;

use suricata_htp::c_api::config::{
    htp_config_create, htp_config_set_field_limit, htp_config_set_parse_request_cookies,
    htp_config_set_server_personality,
};
use suricata_htp::c_api::connection_parser::{
    htp_connp_close, htp_connp_create, htp_connp_destroy_all, htp_connp_open, htp_connp_request_data,
};
use suricata_htp::config::{Config, HtpServerPersonality};

/// Reads requests, with whatever it keeps between them.
pub trait Contender {
    /// Reads them all; how many bytes came out.
    fn pass(&mut self, requests: &[&[u8]]) -> u64;
}

/// Makes the contender of that name, ready to read.
pub fn contender(name: &str) -> Option<Box<dyn Contender>> {
    (name == "suricata-htp").then(|| Box::new(Suricata::new()) as Box<dyn Contender>)
}

/// Beyond its limit it gives up; the default is below what `big` has.
const LONGEST_LINE: usize = 1 << 20;

/// As Suricata sets it up: decoding as much as it can, cookies included.
struct Suricata {
    config: *mut Config,
}

impl Suricata {
    fn new() -> Self {
        let config = htp_config_create();
        // SAFETY: the configuration was made above, and lives as long as the program.
        unsafe {
            htp_config_set_server_personality(config, HtpServerPersonality::IDS);
            htp_config_set_parse_request_cookies(config, 1);
            htp_config_set_field_limit(config, LONGEST_LINE);
        }
        Suricata { config }
    }
}

impl Contender for Suricata {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        for request in requests {
            // Each on a connection of its own: a parser that has given up reads no more.
            // SAFETY: the parser is made and destroyed here; data and length are those of a slice.
            unsafe {
                let parser = htp_connp_create(self.config);
                htp_connp_open(parser, c"127.0.0.1".as_ptr(), 32768, c"127.0.0.1".as_ptr(), 80, null());
                black_box(htp_connp_request_data(
                    parser,
                    null(),
                    black_box(request).as_ptr().cast(),
                    request.len(),
                ));
                htp_connp_close(parser, null());
                htp_connp_destroy_all(parser);
            }
        }
        0
    }
}
