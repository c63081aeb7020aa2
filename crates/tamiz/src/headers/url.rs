//! URLs in headers: `referer`, `origin` and their like.

use std::sync::LazyLock;

use crate::context::Context;
use crate::flags::{Flag, FlagSet, Flags, Parameter};
use crate::known_headers::Kind;
use crate::target::path::Path;
use crate::target::{self, Url};
use crate::text::Text;

/// The flags of a URL that its header shows: none with a key, and none that every URL raises.
static OF_URLS: LazyLock<FlagSet> = LazyLock::new(|| {
    let is_usual = |flag: &Flag| {
        matches!(
            flag,
            Flag::B64Text
                | Flag::GzipMagic
                | Flag::Home
                | Flag::Jwt
                | Flag::PathParam
                | Flag::QBare
                | Flag::QEmptyVal
                | Flag::QLong
                | Flag::QNonAscii
                | Flag::QSemiSep
                | Flag::TrailSlash
                | Flag::UrlValue
        )
    };
    let has_no_key = |flag: &Flag| matches!(flag.parameter_kind(), Parameter::None | Parameter::Word);
    Flag::ALL.iter().copied().filter(|flag| has_no_key(flag) && !is_usual(flag)).collect()
});

/// A URL header, by sections 4 to 6; of its flags, none that tells of structure.
pub(super) fn read_url<'a>(
    text: Text<'a>,
    classes: u32,
    kind: Kind,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Option<&'a mut Url<'a>> {
    let url = match target::cut_scheme(text) {
        Some((scheme, rest)) => target::read_absolute(scheme, rest, classes, cx),
        None if text.bytes.first() == Some(&b'/') && kind == Kind::Url => {
            let url = target::read_relative(text, classes, cx);
            if let Some(path) = url.path.as_mut().filter(|path| path.is_net_path) {
                flags.raise(Flag::NetPath, text);
                path.scan_net_host(cx);
            }
            url
        }
        None => return None,
    };
    if url.scheme.is_some() && url.host.is_none() {
        return None;
    }
    url.hide_tokens(cx, flags);
    flags.absorb_only(&url.all_flags(cx), *OF_URLS);
    if let (Some(host), Some(scheme)) = (url.host, url.scheme) {
        url.host = Some(host.without_default_port(scheme));
    }
    if kind == Kind::Origin && url.query.is_none() && url.path.as_ref().is_some_and(Path::is_empty) {
        url.path = None;
    }
    Some(url)
}
