//! XML bodies (8.36).

use crate::Context;
use crate::body::{self, Fields, Leaf, Told};
use crate::chars::{self, Char, Text, is};
use crate::names;
use crate::places::{self, Place, Placed};
use crate::scan::{Flags, Kind};

/// How long the name at the start is (8.36.1).
pub(crate) fn name_length(text: &[Char]) -> usize {
    let start = |c: &Char| match c {
        Char::Plain(c) => c.is_ascii_alphabetic() || *c == '_' || *c == ':' || !c.is_ascii(),
        _ => true,
    };
    let more = |c: &Char| start(c) || c.plain().is_some_and(|c| c.is_ascii_digit() || c == '-' || c == '.');
    if text.first().is_some_and(start) { text.iter().take_while(|c| more(c)).count() } else { 0 }
}

fn is_space(c: Option<&Char>) -> bool {
    matches!(c, Some(Char::Plain(' ' | '\t' | '\r' | '\n')))
}

struct Element {
    name: Text,
    /// The name as shown, once a leaf has come under it: before that it tells nothing.
    shown: Option<String>,
    sensitive: bool,
    empty: bool,
}

/// An element below the deepest level: where it begins, and the names open in it.
struct Deep {
    start: usize,
    open: Vec<Text>,
}

struct Reader<'a, 'b> {
    text: Text,
    at: usize,
    cut: bool,
    bad: bool,
    open: Vec<Element>,
    roots: usize,
    doctypes: usize,
    entities: usize,
    run: Text,
    deep: Option<Deep>,
    leaves: Vec<Leaf>,
    /// Flags of names before a leaf came under them.
    of_names: Flags,
    placed: &'a mut Placed,
    cx: &'a Context<'b>,
}

/// Reading ends here.
struct End;

pub(crate) fn fields(data: &[u8], cut: bool, placed: &mut Placed, cx: &Context<'_>) -> Fields {
    let starts: [&[u8]; 6] = [b"\xFE\xFF", b"\xFF\xFE", b"<\0", b"\0", b"+ADw", b"\x4C\x6F\xA7\x94"];
    if starts.iter().any(|start| data.starts_with(start)) {
        placed.line.insert("BODYCHARSET".into());
        return Fields { leaves: Vec::new(), parses: false };
    }
    let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    let mut reader = Reader {
        text: chars::read(data),
        at: 0,
        cut,
        bad: false,
        open: Vec::new(),
        roots: 0,
        doctypes: 0,
        entities: 0,
        run: Text::new(),
        deep: None,
        leaves: Vec::new(),
        of_names: Flags::new(),
        placed,
        cx,
    };
    reader.read();
    reader.placed.line.append(&mut reader.of_names);
    Fields { parses: !reader.bad, leaves: reader.leaves }
}

impl Reader<'_, '_> {
    fn starts(&self, wanted: &str) -> bool {
        wanted.chars().enumerate().all(|(i, c)| is(self.text.get(self.at + i), c))
    }

    fn scan(&mut self, text: &[Char]) {
        self.placed.line.extend(self.cx.scan(text, Kind::Leaf));
    }

    /// A leaf, and what it and the names on the way to it tell at its place.
    fn leaf(&mut self, key: String, told: Told, mut flags: Flags) {
        flags.append(&mut self.of_names);
        let place = places::within(&key, self.leaves.len(), self.cx.options.limits.values);
        self.placed.at(place).append(&mut flags);
        body::stray_bytes_of_body(place, self.placed);
        self.leaves.push(Leaf { key, told });
    }

    /// A text that the document has no place for (6.14.5).
    fn unshown(&mut self, text: &[Char]) {
        self.scan(text);
        self.cx.secrets.record_unshown(text);
    }

    /// The end of the text in the middle of something.
    fn broken_off(&mut self) -> End {
        self.at = self.text.len();
        self.bad |= !self.cut;
        End
    }

    fn fatal(&mut self) -> End {
        if self.at >= self.text.len() {
            return self.broken_off();
        }
        self.bad = true;
        End
    }

    /// Reads up to `end`, and skips it; to the end where there is none.
    fn until(&mut self, end: &str) -> (Text, bool) {
        let rest = &self.text[self.at..];
        match chars::find_text(rest, &chars::text(end)) {
            Some(length) => {
                let inside = rest[..length].to_vec();
                self.at += length + end.len();
                (inside, true)
            }
            None => {
                let inside = rest.to_vec();
                self.at = self.text.len();
                (inside, false)
            }
        }
    }

    fn read(&mut self) {
        let control = |c: &Char| c.plain().is_some_and(|c| c < ' ' && !"\t\r\n".contains(c));
        self.bad |= self.text.iter().any(control);
        if self.text.iter().any(|c| matches!(c, Char::Stray(_))) {
            self.placed.line.insert("BADUTF8".into());
        }
        while self.at < self.text.len() {
            if self.item().is_err() {
                break;
            }
        }
        self.flush();
        if let Some(deep) = self.deep.take() {
            self.deep_leaf(deep.start, self.at);
        }
        if self.at >= self.text.len() && (!self.open.is_empty() || self.roots == 0) {
            self.bad |= !self.cut;
        }
    }

    fn item(&mut self) -> Result<(), End> {
        if self.starts("<!--") {
            self.at += 4;
            let (comment, closed) = self.until("-->");
            self.comment(&comment, closed);
            return if closed { Ok(()) } else { Err(self.broken_off()) };
        }
        if self.starts("<![CDATA[") {
            self.at += 9;
            let (data, closed) = self.until("]]>");
            self.bad |= self.open.is_empty();
            self.run.extend(data);
            return if closed { Ok(()) } else { Err(self.broken_off()) };
        }
        if chars::begins_ignoring_case(&self.text[self.at..], "<!DOCTYPE") {
            return self.doctype();
        }
        if self.starts("<!") {
            let partial = ["<!--", "<![CDATA[", "<!DOCTYPE"].iter().any(|full| {
                let rest = chars::as_string(&self.text[self.at..]);
                rest.is_some_and(|rest| full.starts_with(&rest))
            });
            if partial {
                return Err(self.broken_off());
            }
            return Err(self.fatal());
        }
        if self.starts("<?") {
            return self.instruction();
        }
        if self.starts("</") {
            self.flush();
            return self.end_tag();
        }
        if self.starts("<") {
            self.flush();
            return self.start_tag();
        }
        let length = self.text[self.at..].iter().take_while(|c| **c != Char::Plain('<')).count();
        let raw = self.text[self.at..self.at + length].to_vec();
        self.at += length;
        self.bad |= chars::find_text(&raw, &chars::text("]]>")).is_some();
        let broken = self.at >= self.text.len();
        let decoded = self.decode(&raw, broken);
        if self.open.is_empty() && !body::is_blank_text(&raw) {
            self.bad = true;
        }
        self.run.extend(decoded);
        Ok(())
    }

    /// References, once (8.36.3).
    fn decode(&mut self, raw: &[Char], broken: bool) -> Text {
        let mut decoded = Text::new();
        let mut at = 0;
        while at < raw.len() {
            if raw[at] != Char::Plain('&') {
                decoded.push(raw[at]);
                at += 1;
                continue;
            }
            let end = raw[at..].iter().position(|c| *c == Char::Plain(';'));
            let name = end.and_then(|end| chars::as_string(&raw[at + 1..at + end])).unwrap_or_default();
            let named = match &name[..] {
                "lt" => Some('<'),
                "gt" => Some('>'),
                "amp" => Some('&'),
                "apos" => Some('\''),
                "quot" => Some('"'),
                _ => None,
            };
            if let (Some(c), Some(end)) = (named, end) {
                decoded.push(Char::Plain(c));
                at += end + 1;
                continue;
            }
            if let (Some(number), Some(end)) = (name.strip_prefix('#'), end) {
                let (digits, radix) = match number.strip_prefix('x') {
                    Some(digits) => (digits, 16),
                    None => (number, 10),
                };
                if !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)) {
                    let bare = digits.trim_start_matches('0');
                    let value = if bare.is_empty() { Some(0) } else { u32::from_str_radix(bare, radix).ok() };
                    match value.and_then(char::from_u32) {
                        Some(c) => {
                            self.bad |=
                                (c < ' ' && !"\t\r\n".contains(c)) || c == '\u{FFFE}' || c == '\u{FFFF}';
                            decoded.push(Char::Plain(c));
                        }
                        None => {
                            self.bad = true;
                            decoded.extend(&raw[at..=at + end]);
                        }
                    }
                    at += end + 1;
                    continue;
                }
            }
            let length = name_length(&raw[at + 1..]);
            if length == 0 || !is(raw.get(at + 1 + length), ';') {
                self.bad |= !(broken && self.cut && may_go_on(&raw[at + 1..]));
            }
            decoded.push(raw[at]);
            at += 1;
        }
        decoded
    }

    /// The key of the open elements, whose names are told now.
    fn way(&mut self) -> String {
        for at in 0..self.open.len() {
            if self.open[at].shown.is_none() {
                let name = self.open[at].name.clone();
                let outer = at.checked_sub(1).map(|outer| self.open[outer].name.clone());
                self.tell_name(&name, outer);
                self.open[at].shown = Some(body::show_way_name(&name, self.cx));
            }
        }
        self.open.iter().filter_map(|element| element.shown.clone()).collect::<Vec<_>>().join(".")
    }

    fn tell_name(&mut self, name: &[Char], outer: Option<Text>) {
        self.of_names.extend(self.cx.scan(name, Kind::Leaf));
        let mut way_end = outer.unwrap_or_default();
        way_end.push(Char::Plain('.'));
        way_end.extend(name);
        body::way_flags(&way_end, &mut self.of_names);
    }

    /// The run of text between one tag and the next.
    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        if body::is_blank_text(&run) {
            return;
        }
        if self.open.is_empty() {
            return;
        }
        if self.deep.is_some() {
            self.scan(&run);
            return;
        }
        let element = self.open.last_mut().unwrap();
        element.empty = false;
        let sensitive = element.sensitive;
        let place = places::of_leaf(&element.name);
        let key = self.way();
        let mut own = Flags::new();
        let told = body::leaf_marker(sensitive, &run, Kind::Leaf, place, &mut own, self.cx);
        self.leaf(key, told, own);
    }

    fn deep_leaf(&mut self, start: usize, end: usize) {
        let key = self.way();
        let parent = self.open.last_mut().unwrap();
        parent.empty = false;
        let told = body::deep_marker(parent.sensitive, &self.text[start..end], self.cx);
        self.leaf(key, told, Flags::new());
        self.cx.capped.set(true);
    }

    fn name(&mut self) -> Text {
        let length = name_length(&self.text[self.at..]);
        let name = self.text[self.at..self.at + length].to_vec();
        self.at += length;
        name
    }

    fn skip_space(&mut self) {
        while is_space(self.text.get(self.at)) {
            self.at += 1;
        }
    }

    fn end_tag(&mut self) -> Result<(), End> {
        let start = self.at;
        self.at += 2;
        let name = self.name();
        if name.is_empty() && self.at < self.text.len() {
            return Err(self.fatal());
        }
        self.skip_space();
        if self.at >= self.text.len() {
            return Err(self.broken_off());
        }
        if name.is_empty() || !self.starts(">") {
            return Err(self.fatal());
        }
        self.at += 1;
        if let Some(deep) = &mut self.deep {
            if deep.open.pop() != Some(name) {
                self.bad = true;
                self.at = start;
                return Err(End);
            }
            if deep.open.is_empty() {
                let start = deep.start;
                self.deep = None;
                self.deep_leaf(start, self.at);
            }
            return Ok(());
        }
        if self.open.last().is_none_or(|element| element.name != name) {
            self.bad = true;
            self.at = start;
            return Err(End);
        }
        self.close();
        Ok(())
    }

    /// Closes the innermost element.
    fn close(&mut self) {
        let key = self.way();
        let element = self.open.pop().unwrap();
        if element.empty {
            let mut own = Flags::new();
            let told =
                body::leaf_marker(element.sensitive, &[], Kind::Leaf, Place::default(), &mut own, self.cx);
            self.leaf(key, told, own);
        }
    }

    fn start_tag(&mut self) -> Result<(), End> {
        let start = self.at;
        self.at += 1;
        let name = self.name();
        if name.is_empty() {
            return Err(self.fatal());
        }
        if self.at >= self.text.len() {
            // The name may go on: it is nobody's yet.
            return Err(self.broken_off());
        }
        let deep = self.deep.is_some() || self.open.len() >= self.cx.options.limits.depth;
        if self.open.is_empty() {
            self.roots += 1;
            self.bad |= self.roots > 1;
        }
        let sensitive = self.open.last().is_some_and(|parent| parent.sensitive) || names::is_sensitive(&name);
        if let Some(parent) = self.open.last_mut() {
            parent.empty = false;
        }
        if deep {
            self.scan(&name);
            if self.deep.is_none() {
                self.deep = Some(Deep { start, open: Vec::new() });
            }
        } else {
            self.open.push(Element { name: name.clone(), shown: None, sensitive, empty: true });
        }
        let mut seen: Vec<Text> = Vec::new();
        loop {
            let spaced = is_space(self.text.get(self.at));
            self.skip_space();
            if self.starts("/>") {
                self.at += 2;
                match &self.deep {
                    None => self.close(),
                    Some(deep) if deep.open.is_empty() => {
                        let start = deep.start;
                        self.deep = None;
                        self.deep_leaf(start, self.at);
                    }
                    Some(_) => {}
                }
                return Ok(());
            }
            if self.starts(">") {
                self.at += 1;
                if let Some(deep) = &mut self.deep {
                    deep.open.push(name);
                }
                return Ok(());
            }
            if self.text[self.at..] == chars::text("/") {
                return Err(self.broken_off());
            }
            let attribute = if spaced { self.name() } else { Text::new() };
            if attribute.is_empty() {
                return Err(self.fatal());
            }
            self.skip_space();
            if !self.starts("=") {
                return Err(self.fatal());
            }
            self.at += 1;
            self.skip_space();
            let quote = match self.text.get(self.at) {
                Some(Char::Plain(quote @ ('"' | '\''))) => *quote,
                _ => return Err(self.fatal()),
            };
            self.at += 1;
            let (raw, closed) = self.until(&quote.to_string());
            self.bad |= chars::find(&raw, '<').is_some() || seen.contains(&attribute);
            let value = self.decode(&raw, !closed);
            self.attribute(&attribute, &value, deep);
            seen.push(attribute);
            if !closed {
                return Err(self.broken_off());
            }
        }
    }

    fn attribute(&mut self, name: &[Char], value: &[Char], deep: bool) {
        let plain = chars::as_string(name).unwrap_or_default();
        if plain == "xmlns" || name.starts_with(&chars::text("xmlns:")) {
            let text = chars::as_string(value);
            let ordinary = value.is_empty()
                || text.is_some_and(|text| {
                    let lower = text.to_ascii_lowercase();
                    ["http://", "https://", "urn:"].iter().any(|start| lower.starts_with(start))
                        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._~/:#?=&+,".contains(c))
                        && !text.contains("..")
                });
            if !ordinary {
                self.scan(value);
            }
            return;
        }
        if deep {
            self.scan(name);
            self.scan(value);
            return;
        }
        let mut own = self.cx.scan(name, Kind::Leaf);
        body::way_flags(name, &mut own);
        let way = self.way();
        let element = self.open.last_mut().unwrap();
        element.empty = false;
        let sensitive = element.sensitive || names::is_sensitive(name);
        let place = places::of_leaf(name);
        let told = body::leaf_marker(sensitive, value, Kind::Leaf, place, &mut own, self.cx);
        let key = format!("{way}@{}", body::show_way_name(name, self.cx));
        self.leaf(key, told, own);
    }

    fn instruction(&mut self) -> Result<(), End> {
        let start = self.at;
        self.at += 2;
        let (inside, closed) = self.until("?>");
        let length = name_length(&inside);
        let target = chars::as_string(&inside[..length]).unwrap_or_default();
        if start == 0 && target == "xml" && is_space(inside.get(length)) {
            self.declaration(&inside[length..], closed);
        } else {
            self.bad |= target.eq_ignore_ascii_case("xml") && closed;
            let spaced = length == inside.len() || is_space(inside.get(length));
            self.bad |= (length == 0 || !spaced) && closed;
            self.unshown(&inside);
        }
        if closed { Ok(()) } else { Err(self.broken_off()) }
    }

    /// The pairs of an XML declaration, which a limit may have cut.
    fn declaration(&mut self, inside: &[Char], closed: bool) {
        let order = ["version", "encoding", "standalone"];
        let mut next = 0;
        let mut first = true;
        let mut at = 0;
        loop {
            let spaced = is_space(inside.get(at));
            while is_space(inside.get(at)) {
                at += 1;
            }
            // The body may end between `?` and `>`.
            if at >= inside.len() || !closed && inside[at..] == [Char::Plain('?')] {
                break;
            }
            let length = name_length(&inside[at..]);
            let name = chars::as_string(&inside[at..at + length]).unwrap_or_default();
            at += length;
            while is_space(inside.get(at)) {
                at += 1;
            }
            if length == 0 || !is(inside.get(at), '=') {
                self.bad |= closed || at < inside.len();
                return;
            }
            at += 1;
            while is_space(inside.get(at)) {
                at += 1;
            }
            let Some(quote @ Char::Plain('"' | '\'')) = inside.get(at).copied() else {
                self.bad |= closed || at < inside.len();
                return;
            };
            at += 1;
            let end = inside[at..].iter().position(|c| *c == quote);
            let value = inside[at..at + end.unwrap_or(inside.len() - at)].to_vec();
            self.unshown(&value);
            self.bad |= (end.is_none() && closed) || !spaced;
            match order[next..].iter().position(|known| *known == name) {
                Some(skip) => {
                    self.bad |= first && name != "version";
                    next += skip + 1;
                }
                None => self.bad = true,
            }
            if name.eq_ignore_ascii_case("encoding") && body::is_odd_charset(&value) {
                self.placed.line.insert("BODYCHARSET".into());
            }
            first = false;
            at += value.len() + 1;
        }
        self.bad |= first && closed;
    }

    fn comment(&mut self, comment: &[Char], closed: bool) {
        self.unshown(comment);
        let inside = match comment {
            // The body may end inside of `-->`.
            [inside @ .., Char::Plain('-'), Char::Plain('-')] | [inside @ .., Char::Plain('-')]
                if !closed =>
            {
                inside
            }
            inside => inside,
        };
        self.bad |= chars::find_text(inside, &chars::text("--")).is_some() || is(inside.last(), '-');
    }

    fn doctype(&mut self) -> Result<(), End> {
        self.placed.line.insert("DOCTYPE".into());
        self.doctypes += 1;
        self.bad |= !self.starts("<!DOCTYPE") || self.doctypes > 1 || self.roots > 0;
        self.at += 9;
        self.bad |= self.at < self.text.len() && !is_space(self.text.get(self.at));
        self.skip_space();
        self.bad |= self.at < self.text.len() && self.name().is_empty();
        let mut subset = false;
        let mut had_subset = false;
        loop {
            let Some(c) = self.text.get(self.at).copied() else { return Err(self.broken_off()) };
            let rest = &self.text[self.at..];
            if subset && ["<", "<!", "<!-"].iter().any(|start| *rest == chars::text(start)) {
                return Err(self.broken_off());
            }
            if !subset {
                match c {
                    Char::Plain('>') => {
                        self.at += 1;
                        return Ok(());
                    }
                    Char::Plain('[') if !had_subset => {
                        (subset, had_subset) = (true, true);
                        self.at += 1;
                    }
                    Char::Plain('"' | '\'') => self.literal(true, false)?,
                    Char::Plain('<') => {
                        self.bad = true;
                        return Ok(());
                    }
                    _ => self.at += 1,
                }
                continue;
            }
            if self.starts("<!--") {
                self.at += 4;
                let (comment, closed) = self.until("-->");
                self.comment(&comment, closed);
                if !closed {
                    return Err(self.broken_off());
                }
            } else if self.starts("<?") {
                self.instruction()?;
            } else if self.starts("<!") {
                self.markup_declaration()?;
            } else if c == Char::Plain(']') {
                subset = false;
                self.at += 1;
                self.skip_space();
                self.bad |= self.at < self.text.len() && !self.starts(">");
            } else if is_space(Some(&c)) {
                self.at += 1;
            } else if c == Char::Plain('%') {
                self.at += 1;
                let name = self.name();
                if self.at >= self.text.len() {
                    return Err(self.broken_off());
                }
                if name.is_empty() || !self.starts(";") {
                    self.bad = true;
                } else {
                    self.at += 1;
                }
            } else {
                self.bad = true;
                self.at += 1;
            }
        }
    }

    fn markup_declaration(&mut self) -> Result<(), End> {
        let letters = |c: &&Char| c.plain().is_some_and(|c| c.is_ascii_alphabetic());
        let keyword: Text = self.text[self.at + 2..].iter().take_while(letters).copied().collect();
        let entity = chars::lower(&keyword) == chars::text("entity");
        let known = ["ENTITY", "ELEMENT", "ATTLIST", "NOTATION"];
        // One that the body ends in may go on to be any.
        self.bad |= !known.iter().any(|known| keyword == chars::text(known))
            && self.at + 2 + keyword.len() < self.text.len();
        if entity {
            self.entities += 1;
            if self.entities > self.cx.options.limits.entities {
                self.cx.capped.set(true);
            } else {
                self.placed.line.insert("ENTITY".into());
            }
        }
        let told = self.entities <= self.cx.options.limits.entities;
        let sensitive = entity && self.entity_name(self.at + 2 + keyword.len());
        self.at += 2;
        loop {
            match self.text.get(self.at) {
                None => return Err(self.broken_off()),
                Some(Char::Plain('>')) => {
                    self.at += 1;
                    return Ok(());
                }
                Some(Char::Plain('<')) => {
                    self.bad = true;
                    return Ok(());
                }
                Some(Char::Plain('"' | '\'')) => self.literal(told, sensitive)?,
                Some(_) => self.at += 1,
            }
        }
    }

    /// Returns whether the name of an entity, which stands behind its keyword and any `%`, is sensitive.
    fn entity_name(&self, at: usize) -> bool {
        let skipped = |c: &&Char| is_space(Some(c)) || is(Some(c), '%');
        let from = at + self.text[at..].iter().take_while(skipped).count();
        let name = &self.text[from..from + name_length(&self.text[from..])];
        names::is_sensitive(name)
    }

    /// A literal of a document type, `sensitive` in the declaration of an entity whose name is.
    fn literal(&mut self, told: bool, sensitive: bool) -> Result<(), End> {
        let quote = self.text[self.at].plain().unwrap();
        self.at += 1;
        let (raw, closed) = self.until(&quote.to_string());
        let was_bad = self.bad;
        let value = self.decode(&raw, !closed);
        self.bad = was_bad;
        if told {
            self.unshown(&value);
            if sensitive {
                self.cx.secrets.record_value(&value);
            }
        }
        if closed { Ok(()) } else { Err(self.broken_off()) }
    }
}

/// Returns whether a reference may begin with this, which follows its `&`.
fn may_go_on(text: &[Char]) -> bool {
    let is_digit = |radix| move |c: &Char| c.plain().is_some_and(|c| c.is_digit(radix));
    match text {
        [Char::Plain('#'), Char::Plain('x'), digits @ ..] => digits.iter().all(is_digit(16)),
        [Char::Plain('#'), digits @ ..] => digits.iter().all(is_digit(10)),
        _ => name_length(text) == text.len(),
    }
}
