//! Secrets by echo (clause 6.14): a secret of eight or more characters makes a secret of whatever
//! else contains it.

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use crate::body::embedded::Embedded;
use crate::body::fields::Fields;
use crate::body::step::Leaf;
use crate::body::unseen::Unseen;
use crate::body::{self, Body};
use crate::bytes::{self, HIGH};
use crate::context::Context;
use crate::decode::{self, layers, unicode, utf8};
use crate::flags::Flags;
use crate::headers::finished::Finished;
use crate::headers::table::{Kind, Rule};
use crate::headers::{Content, Header, Value};
use crate::request::Request;
use crate::show::{NameShown, marker};
use crate::target::Url;
use crate::target::path::{self, Segment, Shown};
use crate::target::query::Key;
use crate::text::Text;

/// Shorter secrets are not looked for: they would be found by chance.
const SHORTEST: usize = 8;
/// So often a secret is looked for where its rarest byte is, before a better search is prepared.
const TRIES: usize = 16;
/// With more secrets than this, only the first eight bytes of each are looked for, so that the
/// search stays linear.
const MOST: usize = 64;

/// The secrets of a request.
struct Echo<'a> {
    cx: Context<'a>,
    needles: BumpVec<'a, Needle<'a>>,
    /// The request as it came, where what follows is known of it.
    request: &'a [u8],
    /// No secret stands anywhere in it but where it was found: only text that was decoded, or may be,
    /// is worth a search.
    is_nowhere_plain: bool,
    /// How long the shortest secret is.
    shortest: usize,
    /// Whether one of them has a blank in its plain form.
    has_blanks: bool,
    /// Sorted; used instead of `needles` when these are too many.
    prefixes: Option<BumpVec<'a, [u8; SHORTEST]>>,
}

/// Finds the secrets of a request and hides every echo of them.
pub(crate) fn redact<'a>(request: &mut Request<'a>, raw: &'a [u8], cx: Context<'a>) {
    let mut echo = Echo {
        cx,
        needles: BumpVec::with_capacity_in(4, cx.bump),
        request: raw,
        is_nowhere_plain: false,
        shortest: SHORTEST,
        has_blanks: false,
        prefixes: None,
    };
    echo.collect(request, cx);
    if echo.needles.is_empty() {
        return;
    }
    echo.prepare(cx.bump);
    echo.hide_in_url(request.url, &mut request.flags);
    for header in &mut request.headers.list {
        echo.hide_in_header(header);
    }
    if let Some(body) = &mut request.body {
        echo.hide_in_body(body);
    }
    let is_in = |line: &Finished<'a>| {
        let is_elsewhere = echo.is_nowhere_plain && line.record.is_plain;
        let is_in_name = || echo.is_in_plain(line.name());
        !is_elsewhere && echo.is_in(line.line)
            || usize::from(line.record.name_len) >= echo.shortest && is_in_name()
    };
    request.echoes_into_finished = request.headers.finished.iter().any(is_in);
    if request.method.shown != NameShown::ShapeAlone && echo.is_in(request.method.text.bytes) {
        request.method.shown = NameShown::ShapeAlone;
        request.flags.hide(request.method.text);
    }
}

/// Whether `is_it` is true of another spelling of a text that is the same to someone: decoded further,
/// and each in its plain form, where that changes it. Blanks and `+` count where they are `blanks`.
fn any_spelling(text: &[u8], blanks: bool, cx: Context<'_>, mut is_it: impl FnMut(&[u8]) -> bool) -> bool {
    let is_plain_it = |text: &[u8], is_it: &mut dyn FnMut(&[u8]) -> bool| {
        let may_change = !text.is_ascii() || blanks && text.iter().any(|byte| is_blank(*byte));
        may_change
            && cx.spare.with(|plain| {
                write_plain_form(text, cx, plain);
                plain.as_slice() != text && is_it(plain)
            })
    };
    is_plain_it(text, &mut is_it)
        || layers::any_further(text, cx, |revealed| {
            cx.spare.with(|repaired| {
                let spelling = utf8::repaired(revealed, repaired);
                is_it(spelling) || is_plain_it(spelling, &mut is_it)
            })
        })
}

/// Whether a text has no other spelling. `seen` is the union of the classes of its bytes.
fn is_single(text: &[u8], seen: u32, cx: Context<'_>) -> bool {
    seen & HIGH == 0 && !layers::is_layered(text, seen, cx)
}

/// What the plain form makes a blank, of ASCII.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ' | b'+')
}

/// Writes the plain form of a text: NFKC, `+` and each run of white space as one blank, none around it.
fn write_plain_form(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    let mut is_after_blank = true;
    if text.is_ascii() {
        for byte in text {
            let is_blank = is_blank(*byte);
            if !(is_blank && is_after_blank) {
                out.push(if is_blank { b' ' } else { *byte });
            }
            is_after_blank = is_blank;
        }
    } else {
        cx.spare.with(|normal| {
            unicode::nfkc(text, normal);
            for (at, c) in decode::char_indices(normal) {
                let is_blank = c.plain().is_some_and(|c| c == '+' || unicode::is_white_space(c));
                if !is_blank {
                    out.extend_from_slice(normal.get(at..at.saturating_add(c.len())).unwrap_or_default());
                } else if !is_after_blank {
                    out.push(b' ');
                }
                is_after_blank = is_blank;
            }
        });
    }
    if out.last() == Some(&b' ') {
        out.pop();
    }
}

/// A secret without the white space and quotes around it.
fn trim(mut secret: &[u8]) -> &[u8] {
    let is_around = |byte: u8| bytes::is_blank(byte) || matches!(byte, b'"' | b'\'' | b'`');
    while let [first, rest @ ..] = secret
        && is_around(*first)
    {
        secret = rest;
    }
    while let [rest @ .., last] = secret
        && is_around(*last)
    {
        secret = rest;
    }
    secret
}

/// Where `part` stands in `whole`, if it is a piece of it.
fn offset_of(part: &[u8], whole: &[u8]) -> Option<usize> {
    let offset = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (offset <= whole.len().checked_sub(part.len())?).then_some(offset)
}

/// A secret that is looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Needle<'a> {
    text: &'a [u8],
    /// Where, of its first bytes, the one is that is least frequent in requests.
    rare: usize,
}

impl<'a> Needle<'a> {
    fn new(text: &'a [u8]) -> Self {
        let rarity = |byte: &u8| match byte {
            b'a'..=b'z' => 0,
            b'0'..=b'9' | b'.' | b'-' | b'/' => 1,
            _ => 2,
        };
        let rare = text.iter().take(SHORTEST).enumerate().max_by_key(|(_, byte)| rarity(byte));
        Needle { text, rare: rare.map(|(at, _)| at).unwrap_or_default() }
    }

    /// Where in a text it stands, or may: where its rarest byte is.
    fn places<'t>(self, text: &'t [u8]) -> impl Iterator<Item = usize> + use<'t> {
        let rare = self.rare;
        let byte = self.text.get(rare).copied().unwrap_or_default();
        memchr::memchr_iter(byte, text).filter_map(move |at| at.checked_sub(rare))
    }

    fn is_in(self, text: &[u8]) -> bool {
        if self.text.len() > text.len() {
            return false;
        }
        let is_at = |at: usize| text.get(at..).is_some_and(|rest| rest.starts_with(self.text));
        for (nth, at) in self.places(text).enumerate() {
            if is_at(at) {
                return true;
            }
            if nth == TRIES {
                return memchr::memmem::find(text, self.text).is_some();
            }
        }
        false
    }
}

impl<'a> Echo<'a> {
    fn collect(&mut self, request: &Request<'a>, cx: Context<'a>) {
        if request.method.shown == NameShown::ShapeAlone {
            self.add(request.method.text, cx);
        }
        let is_credential = |text: &Text<'a>| cx.settings.names.find_credential(text.bytes, cx).is_some();
        let unseen = request.headers.unseen.iter().copied().chain(request.odd_version);
        unseen.filter(is_credential).for_each(|text| self.add(text, cx));
        self.collect_from_url(request.url, cx);
        if let Some(body) = &request.body {
            self.collect_from_body(body, cx);
        }
        for header in &request.headers.list {
            if let Some(name) = header.name.as_ref().filter(|name| name.shown == NameShown::ShapeAlone) {
                self.add(name.odd.unwrap_or(name.raw), cx);
                self.add(name.text, cx);
            }
            let is_host = header.name.as_ref().is_some_and(|name| name.rule.kind == Kind::Host);
            for value in &header.values {
                match &value.content {
                    Content::Secret if value.rule.kind == Kind::Authorization => {
                        self.add_authorization(value.text, cx);
                    }
                    Content::Secret => self.add(value.text, cx),
                    Content::Shape if is_host => {
                        if let Some(at) = memchr::memrchr(b'@', value.text.bytes) {
                            self.add_userinfo(value.text.slice(0..at));
                        }
                    }
                    Content::Url(url) => self.collect_from_url(url, cx),
                    Content::Cookies(cookies) => {
                        for cookie in cookies {
                            cookie.json.iter().for_each(|json| self.collect_from_json(json, cx));
                            if cookie.sensitive {
                                self.push(cookie.value.bytes);
                                if let Some(name) = &cookie.name
                                    && name.shown == NameShown::Secret
                                {
                                    self.add(name.text, cx);
                                }
                            } else if !cookie.is_harmless()
                                && cx.settings.names.find_credential(cookie.piece.bytes, cx).is_some()
                            {
                                self.add(cookie.piece, cx);
                            }
                        }
                    }
                    _ => {}
                }
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
        for name in fields.names.iter().filter(|name| name.key.shown == NameShown::Secret) {
            self.add(name.key.text, cx);
        }
        fields.secrets.iter().for_each(|secret| self.add(*secret, cx));
        self.collect_unseen(&fields.unseen, cx);
    }

    fn collect_unseen(&mut self, unseen: &Unseen<'a>, cx: Context<'a>) {
        unseen.secrets.iter().for_each(|secret| self.add(*secret, cx));
        unseen.authorizations.iter().for_each(|value| self.add_authorization(*value, cx));
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
        for segment in url.path.iter().flat_map(|path| path.segments.iter()) {
            if segment.shown == Shown::Secret {
                self.add(segment.text, cx);
            }
            if segment.shown != Shown::Text {
                for parameter in segment.text.split(|b| b == b';').skip(1) {
                    if let Some(value) = path::sensitive_value(parameter, cx) {
                        self.add(value, cx);
                    }
                }
            }
        }
        for pair in url.query.iter().flat_map(|query| query.pairs.iter()) {
            if pair.key.shown == NameShown::Secret {
                self.add(pair.key.text, cx);
            }
            if let Some(value) = pair.value.filter(|_| pair.secret) {
                self.add(value, cx);
            }
            pair.json.iter().for_each(|json| self.collect_from_json(json, cx));
        }
        if let Some(fragment) = url.fragment.filter(|_| url.fragment_secret) {
            self.add(fragment, cx);
        }
    }

    /// Adds a redacted value: by the credentials in it that are long enough, or from the first to the end; else whole, and
    /// by the credentials of the first further text that has some.
    fn add(&mut self, secret: Text<'a>, cx: Context<'a>) {
        if self.add_credentials(secret, cx) {
            return;
        }
        self.push(secret.bytes);
        layers::any_further(secret.bytes, cx, |revealed| {
            cx.spare.with(|repaired| {
                let further = utf8::repaired(revealed, repaired);
                cx.settings.names.holds_plain_credential(further, cx)
                    && self.add_credentials(Text::untraced(cx.bump.alloc_slice_copy(further)), cx)
            })
        });
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
    fn add_authorization(&mut self, value: Text<'a>, cx: Context<'a>) {
        match value.cut(b' ').filter(|(_, credentials)| decode::chars(credentials.bytes) >= SHORTEST) {
            Some((scheme, credentials)) => {
                self.push(credentials.bytes);
                let is_pair = [&b"sharedkey"[..], b"sharedkeylite"]
                    .iter()
                    .any(|word| scheme.bytes.eq_ignore_ascii_case(word));
                if let Some((_, signature)) = credentials.cut(b':').filter(|_| is_pair) {
                    self.push(signature.bytes);
                }
            }
            None => self.add(value, cx),
        }
        for range in cx.settings.names.find_proofs(value.bytes, cx) {
            self.push(value.slice(range).bytes);
        }
    }

    /// Adds a secret, as it is and in its other spellings.
    fn push(&mut self, secret: &'a [u8]) {
        let secret = trim(secret);
        if decode::chars(secret) < SHORTEST {
            return;
        }
        self.has_blanks |= secret.iter().any(|byte| is_blank(*byte));
        self.needles.push(Needle::new(secret));
        any_spelling(secret, true, self.cx, |spelling| {
            let spelling = trim(spelling);
            if decode::chars(spelling) >= SHORTEST {
                self.has_blanks |= spelling.iter().any(|byte| is_blank(*byte));
                self.needles.push(Needle::new(self.cx.bump.alloc_slice_copy(spelling)));
            }
            false
        });
    }

    fn prepare(&mut self, bump: &'a Bump) {
        self.needles.sort_unstable();
        self.needles.dedup();
        if self.needles.len() <= MOST {
            self.shortest = self.needles.iter().map(|needle| needle.text.len()).min().unwrap_or(SHORTEST);
            self.is_nowhere_plain =
                !self.has_blanks && self.needles.iter().all(|needle| self.stands_once(*needle));
            return;
        }
        let mut prefixes = BumpVec::with_capacity_in(self.needles.len(), bump);
        prefixes
            .extend(self.needles.iter().filter_map(|needle| needle.text.first_chunk::<SHORTEST>().copied()));
        prefixes.sort_unstable();
        prefixes.dedup();
        self.prefixes = Some(prefixes);
    }

    /// Whether the first eight bytes of a secret stand in the request only where it was found.
    fn stands_once(&self, needle: Needle<'a>) -> bool {
        let Some(start) = needle.text.first_chunk::<SHORTEST>() else { return false };
        let own = offset_of(needle.text, self.request);
        let is_at = |at: usize| self.request.get(at..).and_then(|rest| rest.first_chunk()) == Some(start);
        needle.places(self.request).all(|at| !is_at(at) || Some(at) == own)
    }

    /// Whether `text` is a piece of the request that no secret stands in: there is none of them but where
    /// it was found, that is not here, and nothing here would be decoded further.
    fn is_elsewhere(&self, text: &[u8]) -> bool {
        self.is_nowhere_plain && is_single(text, bytes::union(text), self.cx) && self.is_elsewhere_plain(text)
    }

    /// The same of a text in which nothing would be decoded further.
    fn is_elsewhere_plain(&self, text: &[u8]) -> bool {
        let Some(at) = offset_of(text, self.request).filter(|_| self.is_nowhere_plain) else { return false };
        let end = at.saturating_add(text.len());
        let is_here = |needle: &Needle<'a>| {
            offset_of(needle.text, self.request).is_some_and(|own| at <= own && own < end)
        };
        !self.needles.iter().any(is_here)
    }

    /// Whether a value whose classes are `seen` is known to hold no secret by its place in the request.
    fn is_elsewhere_field(&self, seen: Option<u32>, text: Text<'a>) -> bool {
        seen.is_some_and(|seen| is_single(text.bytes, seen, self.cx)) && self.is_elsewhere_plain(text.bytes)
    }

    /// Whether `text`, as it is or decoded further, contains a secret.
    fn is_in(&self, text: &[u8]) -> bool {
        text.len() >= SHORTEST
            && !self.is_elsewhere(text)
            && (self.is_in_plain(text)
                || any_spelling(text, self.has_blanks, self.cx, |spelling| self.is_in_plain(spelling)))
    }

    /// The same of a value that is left as it is where it is a marker.
    fn is_in_value(&self, value: &[u8]) -> bool {
        !marker::is_left(value, false, self.cx) && self.is_in(value)
    }

    fn is_in_plain(&self, text: &[u8]) -> bool {
        match &self.prefixes {
            None => self.needles.iter().any(|needle| needle.is_in(text)),
            Some(prefixes) => text.windows(SHORTEST).any(|window| {
                window.first_chunk::<SHORTEST>().is_some_and(|chunk| prefixes.binary_search(chunk).is_ok())
            }),
        }
    }

    /// Hides echoes in a URL; `flags` takes note of what is hidden.
    fn hide_in_url(&self, url: &mut Url<'a>, flags: &mut Flags<'a>) {
        if let Some(path) = &mut url.path {
            let is_single = |text: Text<'a>| is_single(text.bytes, bytes::union(text.bytes), self.cx);
            let is_elsewhere = self.is_elsewhere(path.raw.bytes)
                && path.segments.iter().flat_map(|segment| segment.texts()).all(is_single);
            for segment in path.segments.iter_mut().filter(|_| !is_elsewhere) {
                if segment.shown != Shown::Secret && self.is_in_segment(segment) {
                    segment.shown = Shown::Secret;
                    flags.hide(segment.text);
                }
            }
        }
        for pair in url.query.iter_mut().flat_map(|query| query.pairs.iter_mut()) {
            self.hide_in_key(&mut pair.key, flags);
            if let (Some(value), Some(json)) = (pair.value, pair.json) {
                self.hide_in_json(value, json, flags);
            } else if let Some(value) = pair.value
                && !pair.secret
                && !self.is_elsewhere_field(pair.seen(), value)
                && self.is_in_value(value.bytes)
            {
                pair.secret = true;
                flags.hide(value);
            }
        }
        if let Some(fragment) = url.fragment
            && !url.fragment_secret
            && self.is_in(fragment.bytes)
        {
            url.fragment_secret = true;
            flags.hide(fragment);
        }
    }

    fn hide_in_body(&self, body: &mut Body<'a>) {
        match &mut body.content {
            body::Content::Whole { text, secret } => {
                if !*secret && self.is_in(text.bytes) {
                    *secret = true;
                    body.flags.hide(*text);
                }
            }
            body::Content::Fields(fields) => {
                self.hide_in_leaves(fields, &mut body.flags);
                for name in &mut fields.names {
                    self.hide_in_key(&mut name.key, &mut body.flags);
                }
            }
        }
    }

    /// Hides echoes in a value that is JSON: leaf by leaf, and all of it where it would be shown in clear. `flags`
    /// takes note of what is hidden.
    fn hide_in_json(&self, value: Text<'a>, json: &Embedded<'a>, flags: &mut Flags<'a>) {
        let mut echoes = self.hide_in_leaves(&json.fields, flags);
        let names = json.fields.names.iter().filter(|name| name.key.shown != NameShown::Secret);
        for name in names.filter(|name| self.is_in(name.key.text.bytes)) {
            name.echoes.set(true);
            flags.hide(name.key.text);
            echoes = true;
        }
        if !json.holds_secret() && (echoes || self.is_in(value.bytes)) {
            json.set_secret();
        }
    }

    /// Returns whether a leaf echoes a secret.
    fn hide_in_leaves(&self, fields: &Fields<'a>, flags: &mut Flags<'a>) -> bool {
        let mut echoes = false;
        for field in &fields.list {
            let (Leaf::Text(text) | Leaf::Number(text) | Leaf::Deep(text)) = field.leaf else { continue };
            if let Some(json) = field.json {
                self.hide_in_json(text, json, flags);
            } else if !field.secret
                && !self.is_elsewhere_field(field.seen(), text)
                && self.is_in_value(text.bytes)
            {
                field.echoes.set(true);
                flags.hide(text);
                echoes = true;
            }
        }
        echoes
    }

    /// Whether a segment echoes a secret, the parameters it hides already left out.
    #[allow(clippy::arithmetic_side_effects, reason = "what is taken off is a part of it")]
    fn is_in_segment(&self, segment: &Segment<'a>) -> bool {
        let parts = || segment.text.split(|b| b == b';').enumerate();
        let hidden = |(i, part)| path::hidden_value(part, self.cx).filter(|_| i > 0);
        if !parts().any(|part| hidden(part).is_some()) && self.is_in_value(segment.text.bytes) {
            return true;
        }
        if marker::is_left(segment.text.bytes, false, self.cx) {
            return false;
        }
        parts().any(|(i, part)| {
            let len = hidden((i, part)).map_or(0, |value| value.len());
            self.is_in(part.slice(0..part.len() - len).bytes)
        })
    }

    fn hide_in_key(&self, key: &mut Key<'a>, flags: &mut Flags<'a>) {
        if key.shown != NameShown::Secret && self.is_in(key.text.bytes) {
            key.shown = NameShown::Secret;
            flags.hide(key.text);
        }
    }

    fn hide_in_header(&self, header: &mut Header<'a>) {
        if let Some(name) = &mut header.name
            && !matches!(name.shown, NameShown::Secret | NameShown::ShapeAlone)
            && (self.is_in(name.text.bytes) || self.is_in(name.raw.bytes))
        {
            name.shown = NameShown::Secret;
            header.flags.hide(name.raw);
        }
        // What a URL or cookies are made of may be layered where the whole is not.
        let is_one = |value: &Value<'a>| !matches!(value.content, Content::Url(_) | Content::Cookies(_));
        if header.values.iter().all(is_one)
            && is_single(header.whole.bytes, header.seen, self.cx)
            && self.is_elsewhere_plain(header.whole.bytes)
        {
            return;
        }
        for value in &mut header.values {
            self.hide_in_value(value, &mut header.flags);
        }
    }

    /// Whether a name contains a secret: as it came, or in lower case, as a name is shown.
    fn is_in_name(&self, name: &[u8]) -> bool {
        let is_lower_in = |lower: &mut Vec<u8>| {
            lower.extend(name.iter().map(u8::to_ascii_lowercase));
            self.is_in(lower)
        };
        self.is_in(name) || self.cx.spare.with(is_lower_in)
    }

    fn hide_in_value(&self, value: &mut Value<'a>, flags: &mut Flags<'a>) {
        if let Some(label) = value.label.filter(|label| self.is_in_name(label.bytes)) {
            flags.hide(label);
            *value = Value {
                label: None,
                text: value.whole,
                whole: value.whole,
                rule: Rule::default(),
                content: Content::Secret,
            };
            flags.hide(value.text);
            return;
        }
        let whole = value.is_in_clear() || matches!(value.content, Content::Shape);
        match &mut value.content {
            // Literal URLs are shown as they came.
            Content::Url(_) if self.cx.settings.literal() && self.is_in(value.text.bytes) => {
                value.content = Content::Secret;
                flags.hide(value.text);
            }
            Content::Url(url) => self.hide_in_url(url, flags),
            Content::Cookies(cookies) => {
                for cookie in cookies {
                    if let Some(name) = &mut cookie.name {
                        self.hide_in_key(name, flags);
                    }
                    if cookie.is_attribute() && self.is_in(cookie.piece.bytes) {
                        cookie.hide();
                        flags.hide(cookie.piece);
                    }
                }
            }
            _ if whole && self.is_in_value(value.text.bytes) => {
                value.content = Content::Secret;
                flags.hide(value.text);
            }
            _ => {}
        }
    }
}
