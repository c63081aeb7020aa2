//! Finding the secrets of a request.

use crate::body::{self, Body};
use crate::bytes::{self, ALNUM, BLANK, COLON, CONTROL, ENCODED, EQUALS, HIGH, WORD_SIGN};
use crate::context::Context;
use crate::decode;
use crate::finished::LAYERED;
use crate::formats::embedded::Embedded;
use crate::formats::fields::Fields;
use crate::formats::step::Leaf;
use crate::formats::unseen::Unseen;
use crate::headers::Cookies;
use crate::headers::many::{Many, Step};
use crate::headers::{Content, Header, Value};
use crate::known_headers::Kind;
use crate::needles::{self, Needles, SHORTEST};
use crate::request::Request;
use crate::secrets::may_hold_credential;
use crate::show::NameShown;
use crate::steps;
use crate::target::Url;
use crate::target::pair::Pair;
use crate::target::path::Path;
use crate::target::segment::{self, Shown};
use crate::text::{Classified, Text};

impl<'a> Needles<'a> {
    /// Adds all secrets of a request.
    pub(super) fn collect(&mut self, request: &Request<'a>, cx: Context<'a>) {
        if request.method.shown == NameShown::ShapeAlone {
            self.add(request.method.text, cx);
        }
        let is_credential = |text: &Text<'a>| {
            cx.settings.names.find_credential(text.bytes, bytes::union(text.bytes), cx).is_some()
        };
        let unseen = request.headers.unseen.iter().copied().chain(request.odd_version);
        unseen.filter(is_credential).for_each(|text| self.add(text, cx));
        self.collect_from_url(request.url, cx);
        if let Some(body) = &request.body {
            self.collect_from_body(body, cx);
        }
        let found = &request.headers.found;
        for value in found.credentials.iter().flatten() {
            self.add_authorization(*value, cx);
            self.hide_own(value.text.bytes);
        }
        if let Some(cookies) = &found.cookies {
            self.collect_from_cookies(cookies, cx);
        }
        for header in &request.headers.list {
            self.collect_from_header(header, cx);
        }
        if let Some(many) = request.headers.many.as_ref().filter(|many| many.may_hold_secrets) {
            self.collect_from_many(many, cx);
        }
    }

    fn collect_from_many(&mut self, many: &Many<'a>, cx: Context<'a>) {
        let mut walk = many.walk();
        cx.spare.with_arena(|arena| {
            loop {
                arena.reset();
                let shared = cx.in_arena(arena);
                let local = Context::new(&shared);
                let Some(step) = walk.next(local) else { return };
                if let Step::Header(place, header) = step {
                    let mut needles = Needles::new(b"", local);
                    needles.collect_from_header(&many.open(place, header, local).0, local);
                    self.take(&needles);
                }
            }
        });
    }

    fn collect_from_header(&mut self, header: &Header<'a>, cx: Context<'a>) {
        if let Some(name) = header.name.as_ref().filter(|name| name.shown == NameShown::ShapeAlone) {
            self.add(name.odd.unwrap_or(name.raw), cx);
            self.add(name.text, cx);
        }
        let is_host = header.name.as_ref().is_some_and(|name| name.rule.kind == Kind::Host);
        for value in &header.values {
            self.collect_from_value(value, is_host, cx);
        }
        if !header.rest.is_some_and(|rest| rest.may_hold_secrets) {
            return;
        }
        let mut pieces = header.rest_of_pieces();
        cx.spare.with_arena(|arena| {
            loop {
                arena.reset();
                let shared = cx.in_arena(arena);
                let local = Context::new(&shared);
                let Some(value) = pieces.next(local, &mut local.flags()) else { return };
                let mut needles = Needles::new(b"", local);
                value.iter().for_each(|value| needles.collect_from_value(value, false, local));
                self.take(&needles);
            }
        });
    }

    fn collect_from_value(&mut self, value: &Value<'a>, is_host: bool, cx: Context<'a>) {
        match &value.content {
            Content::Secret if value.rule.kind == Kind::Authorization => {
                self.add_authorization(value.text.classified(), cx);
                self.hide_own(value.text.bytes);
            }
            Content::Secret => self.add(value.text, cx),
            Content::Shape if is_host => {
                if let Some(at) = memchr::memrchr(b'@', value.text.bytes) {
                    self.add_userinfo(value.text.slice(0..at));
                }
            }
            Content::Url(url) => self.collect_from_url(url, cx),
            Content::Cookies(cookies) => self.collect_from_cookies(cookies, cx),
            _ => {}
        }
    }

    fn collect_from_cookies(&mut self, cookies: &Cookies<'a>, cx: Context<'a>) {
        cookies.json.iter().for_each(|json| self.collect_from_json(json, cx));
        for cookie in cookies.list.iter().filter(|cookie| !cookie.is_harmless()) {
            if let Some(name) = cookie.name().filter(|name| name.shown == NameShown::Secret) {
                self.add(name.text, cx);
            }
            let value = cookie.value();
            if cookie.is_sensitive() {
                match cookie.plain_value() {
                    Some(value) => self.push_plain(value),
                    None => self.push(value.bytes),
                }
                self.hide_own(value.bytes);
                continue;
            }
            let [in_piece, in_value] = cookie.holds_credentials(cx);
            if in_piece {
                self.add(cookie.piece, cx);
            }
            if in_value {
                self.add(value, cx);
            }
            if (in_piece || in_value) && !cookie.is_attribute() {
                self.hide_own(value.bytes);
            }
        }
    }

    fn collect_from_body(&mut self, body: &Body<'a>, cx: Context<'a>) {
        match &body.content {
            body::Content::Whole { text, secret } => {
                if *secret {
                    self.add(*text, cx);
                }
            }
            body::Content::Fields(fields) => self.collect_from_fields(fields, cx),
        }
        if let Some(fields) = &body.broken {
            self.collect_from_fields(fields, cx);
        }
        self.collect_unseen(&body.unseen, cx);
    }

    fn collect_from_fields(&mut self, fields: &Fields<'a>, cx: Context<'a>) {
        for field in fields.list.iter().filter(|field| field.secret) {
            if let Leaf::Text(text) | Leaf::Number(text) | Leaf::Deep(text) = field.leaf {
                self.add(text, cx);
            }
        }
        for json in fields.list.iter().filter_map(|field| field.json) {
            self.collect_from_json(json, cx);
        }
        for name in fields.paths.names().filter(|name| name.key.shown == NameShown::Secret) {
            self.add(name.key.text, cx);
        }
        fields.secrets.iter().for_each(|secret| self.add(*secret, cx));
        let of_pairs = fields.more_pairs.iter().flat_map(|more| more.secrets.iter());
        of_pairs.for_each(|secret| self.add(*secret, cx));
        self.collect_unseen(&fields.unseen, cx);
    }

    fn collect_unseen(&mut self, unseen: &Unseen<'a>, cx: Context<'a>) {
        unseen.secrets.iter().for_each(|secret| self.add(*secret, cx));
        unseen.authorizations.iter().for_each(|value| self.add_authorization(value.classified(), cx));
    }

    fn collect_from_json(&mut self, json: &Embedded<'a>, cx: Context<'a>) {
        json.secret_texts().for_each(|secret| self.add(secret, cx));
    }

    fn collect_from_url(&mut self, url: &Url<'a>, cx: Context<'a>) {
        if let Some(userinfo) = url.userinfo {
            self.add_userinfo(userinfo);
        }
        if let Some(token) = url.token {
            self.push(token);
        }
        if let Some(path) = &url.path {
            self.collect_from_path(path, cx);
        }
        if let Some(query) = &url.query {
            query.pairs.iter().for_each(|pair| self.collect_from_pair(pair, cx));
            if let Some(more) = &query.more {
                more.secrets.iter().for_each(|secret| self.add(*secret, cx));
            }
        }
        if let Some(fragment) = url.fragment.filter(|_| url.fragment_secret) {
            self.add(fragment, cx);
        }
    }

    fn collect_from_path(&mut self, path: &Path<'a>, cx: Context<'a>) {
        for segment in path.segments.iter().filter(|segment| segment.shown != Shown::Text) {
            if segment.shown == Shown::Secret {
                self.add(segment.text, cx);
            }
            if path.classes & (WORD_SIGN | ENCODED) != 0 {
                let parameters = segment.text.split_at_each(b';').skip(1);
                let values = parameters.filter_map(|parameter| segment::sensitive_value(parameter, cx));
                values.for_each(|value| self.add(value, cx));
            }
        }
    }

    #[inline]
    fn collect_from_pair(&mut self, pair: &Pair<'a>, cx: Context<'a>) {
        if pair.key.shown == NameShown::Secret {
            self.add(pair.key.text, cx);
        }
        if let Some(value) = pair.value.filter(|_| pair.secret) {
            let classes = pair.classes().unwrap_or_else(|| bytes::union(value.bytes));
            if pair.is_quiet && classes & (HIGH | BLANK | CONTROL) == 0 {
                self.push_plain(value.bytes);
            } else {
                self.add_known(value.with_classes(classes), cx);
            }
            if pair.json.is_none() {
                self.hide_own(value.bytes);
            }
        }
        if let Some(json) = pair.json {
            self.collect_from_json(json, cx);
        }
    }

    fn add(&mut self, secret: Text<'a>, cx: Context<'a>) {
        self.add_known(secret.classified(), cx);
    }

    /// Adds a redacted value: by the credentials in it that are long enough, or from the first to the end; else whole, and
    /// by the credentials of the first further text that has some.
    fn add_known(&mut self, secret: Classified<'a>, cx: Context<'a>) {
        steps::slow("secret collected");
        let Classified { text: secret, classes } = secret;
        if classes & LAYERED == 0 && secret.len() < SHORTEST {
            return;
        }
        if !may_hold_credential(secret.bytes, classes) {
            return self.push_known(secret.bytes, classes);
        }
        let has_credentials = self.add_credentials(secret, cx);
        self.add_spaced(secret, cx);
        if has_credentials {
            return;
        }
        let is_trimmed = needles::trim(secret.bytes).len() < secret.len();
        let is_spelled = if is_trimmed {
            self.push(secret.bytes);
            false
        } else {
            self.push_unspelled(secret.bytes, classes)
        };
        let mut is_revealed = false;
        needles::any_further(secret.bytes, classes, cx, |text, classes| {
            if is_spelled {
                self.push_spelling(text, classes);
            }
            is_revealed = is_revealed || self.add_revealed(text, classes, cx);
            is_revealed && !is_spelled
        });
    }

    /// Adds the credentials of a further text; whether it has any.
    fn add_revealed(&mut self, text: &[u8], classes: u32, cx: Context<'a>) -> bool {
        if !cx.settings.names.holds_plain_credential(text, classes, cx) {
            return false;
        }
        let text = Text::untraced(cx.bump.alloc_slice_copy(text));
        self.add_spaced(text, cx);
        self.add_credentials(text, cx)
    }

    /// Adds the credentials of a text once each `+` in it is a space, as it is in a query: there it ends them.
    fn add_spaced(&mut self, text: Text<'a>, cx: Context<'a>) {
        if bytes::position(b'+', text.bytes).is_none() {
            return;
        }
        let spaced = cx.bump.alloc_slice_copy(text.bytes);
        spaced.iter_mut().filter(|byte| **byte == b'+').for_each(|byte| *byte = b' ');
        self.add_credentials(Text::untraced(spaced), cx);
    }

    /// Adds the credentials of a text; whether it has any.
    fn add_credentials(&mut self, secret: Text<'a>, cx: Context<'a>) -> bool {
        let found = cx.settings.names.find_credentials(secret.bytes, cx);
        let is_long = |part: Text<'a>| decode::chars(part.bytes) >= SHORTEST;
        let Some(first) = found.first() else { return false };
        let mut has_long = false;
        for credential in &found {
            let part = secret.slice(credential.part.clone());
            has_long |= is_long(part);
            if credential.is_userinfo {
                self.add_userinfo(part);
            } else {
                self.push(part.bytes);
            }
        }
        if !has_long {
            let rest = secret.from(first.part.start);
            self.push(if is_long(rest) { rest } else { secret }.bytes);
        }
        true
    }

    /// Adds userinfo, and the password in it.
    fn add_userinfo(&mut self, userinfo: Text<'a>) {
        self.push(userinfo.bytes);
        if let Some((_, password)) = userinfo.cut(b':') {
            self.push(password.bytes);
        }
    }

    /// Adds the credentials of an `authorization`, and the values in them that prove something.
    fn add_authorization(&mut self, value: Classified<'a>, cx: Context<'a>) {
        let Classified { text: value, classes } = value;
        let is_long = |text: &[u8]| decode::chars_of(text, classes) >= SHORTEST;
        match value.cut(b' ').filter(|(_, credentials)| is_long(credentials.bytes)) {
            Some((scheme, credentials)) => {
                if bytes::all(scheme.bytes, ALNUM) {
                    // Such a scheme and the space have no class that tells of another spelling.
                    self.push_known(credentials.bytes, classes);
                } else {
                    self.push(credentials.bytes);
                }
                let is_pair = [&b"sharedkey"[..], b"sharedkeylite"]
                    .iter()
                    .any(|word| scheme.bytes.eq_ignore_ascii_case(word));
                if let Some((_, signature)) = credentials.cut(b':').filter(|_| is_pair) {
                    self.push(signature.bytes);
                }
            }
            None => self.add(value, cx),
        }
        if classes & (EQUALS | COLON | HIGH) == 0 {
            return;
        }
        for range in cx.settings.names.find_proofs(value.bytes, cx) {
            self.push(value.slice(range).bytes);
        }
    }
}
