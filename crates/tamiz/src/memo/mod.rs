//! Fields that came before, with what was made of them.
//!
//! Clients send the same things over and over: the same `user-agent`, the same lists of what they
//! accept, the same paths and names. What the document says alike of it in any request (it holds no
//! secret, is no repeat, and what others read of it is its value as it stands there) is worked out once
//! and then copied. A [`Memo`] is bounded: a fixed number of fields of a fixed size, where a new one takes
//! the place of an old one. What comes once and never again, such as an identifier, does not: a field is
//! kept when it comes for the second time.

#![allow(clippy::arithmetic_side_effects, reason = "lengths and offsets of slots, all below a megabyte")]

mod field;

use std::cell::{Ref, RefCell, RefMut};
use std::fmt;

use crate::bytes::{self, BACKSLASH, ENCODED, HIGH};
use crate::flags::{Flag, FlagSet, Flags};
use crate::headers::Orders;

pub(crate) use field::{Field, hash};

/// How many flags with a parameter a line may have.
const MOST_PARAMETERS: usize = 4;
/// How many slots a field may be in.
const WAYS: usize = 4;
/// How many words the flags of a value may have.
const MOST_WORDS: usize = 6;

/// What is remembered, by kind of field.
#[derive(Debug)]
pub(crate) struct Memos {
    /// Lines of the header block, with their `H:` lines.
    pub(crate) lines: Memo<Said>,
    /// The order of such lines by name.
    pub(crate) orders: Orders,
    /// Paths, with their `P:` lines.
    pub(crate) paths: Memo<PathSaid>,
    /// Segments of paths that tell nothing by themselves and are shown as they are.
    pub(crate) segments: Memo<()>,
    /// Hosts, with their canonical names.
    pub(crate) hosts: Memo<HostSaid>,
    /// Keys of queries and forms.
    pub(crate) keys: Memo<NameSaid>,
    /// Names of cookies.
    pub(crate) cookies: Memo<NameSaid>,
    /// Values of queries, with their markers and what they decode to.
    pub(crate) query_values: Memo<ValueSaid>,
    /// Values of forms.
    pub(crate) form_values: Memo<ValueSaid>,
    /// Names in bodies other than forms.
    pub(crate) members: Memo<NameSaid>,
    /// Values of these.
    pub(crate) leaves: Memo<ValueSaid>,
}

impl Default for Memos {
    fn default() -> Self {
        Memos {
            lines: Memo::new(512, 768),
            orders: Orders::default(),
            paths: Memo::new(256, 384),
            segments: Memo::new(256, 32),
            hosts: Memo::new(64, 128),
            keys: Memo::new(256, 32),
            cookies: Memo::new(128, 32),
            query_values: Memo::new(512, 640),
            form_values: Memo::new(256, 640),
            members: Memo::new(256, 32),
            leaves: Memo::new(256, 256),
        }
    }
}

impl Memos {
    /// Begins another request. What was made by other settings is not found.
    pub(crate) fn begin(&mut self, owner: u64) {
        self.lines.begin(owner);
        self.paths.begin(owner);
        self.segments.begin(owner);
        self.hosts.begin(owner);
        self.keys.begin(owner);
        self.cookies.begin(owner);
        self.query_values.begin(owner);
        self.form_values.begin(owner);
        self.members.begin(owner);
        self.leaves.begin(owner);
    }
}

/// What the document says of a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathSaid {
    /// None of them has a parameter.
    pub(crate) flags: FlagSet,
    /// How long the path is, as shown.
    pub(crate) len: usize,
}

/// What a host that is valid tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HostSaid {
    /// None of them has a parameter.
    pub(crate) flags: FlagSet,
    pub(crate) port: Option<u16>,
}

/// What a name tells that is shown as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameSaid {
    pub(crate) flags: FlagSet,
    /// Whether its value is a secret.
    pub(crate) is_sensitive: bool,
}

/// What a value tells that is no secret.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueSaid {
    pub(crate) flags: FlagSet,
    /// The union of the classes of its bytes, decoded.
    pub(crate) seen: u32,
    pub(crate) words: [Option<(Flag, &'static str)>; MOST_WORDS],
    /// How long its marker is; what it decodes to follows, unless that is the value as it came.
    pub(crate) marker_len: usize,
    pub(crate) is_decoded: bool,
}

impl ValueSaid {
    /// What a value with these flags says; `None` where that is more than is remembered.
    pub(crate) fn new(flags: &Flags<'_>, seen: u32, marker_len: usize, is_decoded: bool) -> Option<Self> {
        let mut said = ValueSaid { flags: flags.set, seen, marker_len, is_decoded, ..ValueSaid::default() };
        let mut places = said.words.iter_mut();
        for word in flags.words() {
            *places.next()? = Some(*word);
        }
        Some(said)
    }
}

/// A line that is remembered, for as long as the request lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(usize);

/// A value that came before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recalled<'a> {
    pub(crate) memo: &'a Memo<ValueSaid>,
    pub(crate) slot: Slot,
}

impl Recalled<'_> {
    /// Writes its marker.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        self.memo.with(self.slot, |text, said| {
            out.extend_from_slice(text.get(..said.marker_len).unwrap_or_default());
        });
    }
}

/// The parameter of a flag that a line raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// The header's own name, as shown.
    Name,
    Word(&'static str),
}

/// The first characters of a name, in lower case, in the order of names: names of the same rank may
/// still differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u128);

impl Rank {
    pub(crate) fn of(name: &[u8]) -> Self {
        let mut first = [0; 16];
        let len = name.len().min(first.len());
        if let (Some(place), Some(name)) = (first.get_mut(..len), name.get(..len)) {
            place.copy_from_slice(name);
        }
        first.make_ascii_lowercase();
        Rank(u128::from_be_bytes(first))
    }

    /// Half of its bits, each made of two.
    pub(crate) fn folded(self) -> u64 {
        self.0 as u64 ^ (self.0 >> 64) as u64
    }
}

/// What a line is to those who read the rest of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing.
    #[default]
    None,
    Host,
    ContentType,
    ContentLength,
}

/// What the document says of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said {
    /// Flags without a parameter.
    pub(crate) plain: FlagSet,
    pub(crate) parameters: [Option<(Flag, Parameter)>; MOST_PARAMETERS],
    /// How long the name is, as shown.
    pub(crate) name_len: u16,
    /// What it adds to the length of all headers.
    pub(crate) len: usize,
    pub(crate) rank: Rank,
    /// Whether nothing in the line would be decoded.
    pub(crate) is_plain: bool,
    pub(crate) role: Role,
    /// How long its value is, which the line ends with; told where it has a role.
    pub(crate) value_len: u16,
}

#[derive(Clone, Copy, Default)]
struct Entry<T> {
    /// Whose settings the text was written by; none's where nothing is kept.
    owner: u64,
    /// The request that used it last; what the present one uses stays.
    used: u64,
    field_len: usize,
    text_len: usize,
    said: T,
}

/// Remembered fields of a kind.
pub(crate) struct Memo<T> {
    slots: usize,
    slot_bytes: usize,
    /// How many bits of a hash tell no set.
    shift: u32,
    inner: RefCell<Inner<T>>,
}

#[derive(Default)]
struct Inner<T> {
    /// Whose settings the present request is read by.
    owner: u64,
    request: u64,
    /// The hash of the field in each slot, by sets; zero where none is.
    hashes: Vec<[u64; WAYS]>,
    entries: Vec<Entry<T>>,
    bytes: Vec<u8>,
    /// A part of the hash of what came lately, by another part of it.
    came: Vec<u16>,
    /// The slot of what followed that of a slot when it came last; at the end, of what came first.
    next: Vec<u16>,
}

impl<T> fmt::Debug for Memo<T> {
    /// Without what is remembered: requests are nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").finish_non_exhaustive()
    }
}

impl<T: Copy + Default> Memo<T> {
    /// With a power of two of slots, of so many bytes each for a field and its text.
    fn new(slots: usize, slot_bytes: usize) -> Self {
        debug_assert!(slots.is_power_of_two() && slots > WAYS);
        let shift = u64::BITS - (slots / WAYS).ilog2();
        Memo { slots, slot_bytes, shift, inner: RefCell::default() }
    }

    fn begin(&mut self, owner: u64) {
        let inner = self.inner.get_mut();
        inner.owner = owner;
        inner.request += 1;
    }

    /// Takes all the memory it will ever have, when the first field comes that may be kept.
    fn make_room(&self, inner: &mut Inner<T>) {
        if inner.entries.is_empty() {
            inner.hashes.resize(self.slots / WAYS, [0; WAYS]);
            inner.entries.resize(self.slots, Entry::default());
            inner.bytes.resize(self.slots * self.slot_bytes, 0);
            inner.came.resize(self.slots * 4, 0);
            inner.next.resize(self.slots + 1, 0);
        }
    }

    /// The set of slots that a field may be in. The upper bits of a hash: every byte reaches them.
    fn set_of(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// The slot of a field that came before.
    pub(crate) fn find<'f>(&self, field: impl Into<Field<'f>>) -> Option<Slot> {
        self.find_with(field, |slot, _| slot)
    }

    /// The same, with what it says.
    pub(crate) fn find_with<'f, R>(
        &self,
        field: impl Into<Field<'f>>,
        show: impl FnOnce(Slot, &T) -> R,
    ) -> Option<R> {
        let inner = &mut *self.inner.borrow_mut();
        let slot = self.slot_of(inner, field.into())?;
        let entry = inner.entries.get_mut(slot)?;
        entry.used = inner.request;
        Some(show(Slot(slot), &entry.said))
    }

    #[inline]
    fn slot_of(&self, inner: &Inner<T>, Field { bytes: field, hash }: Field<'_>) -> Option<usize> {
        let set = self.set_of(hash);
        let way = inner.hashes.get(set)?.iter().position(|other| *other == hash)?;
        let slot = set * WAYS + way;
        let entry = inner.entries.get(slot)?;
        let start = slot * self.slot_bytes;
        let is_it = entry.field_len == field.len()
            && entry.owner == inner.owner
            && inner.bytes.get(start..start + field.len())? == field;
        is_it.then_some(slot)
    }

    /// For looking up lines one after the other.
    pub(crate) fn follow(&self) -> Following<'_, T> {
        Following { memo: self, inner: self.inner.borrow_mut(), last: self.slots }
    }

    /// Shows what is remembered: the text, and what it says.
    pub(crate) fn with<R>(&self, slot: Slot, show: impl FnOnce(&[u8], &T) -> R) -> R {
        match self.open().get(slot) {
            Some((text, said)) => show(text, said),
            None => show(b"", &T::default()),
        }
    }

    /// For looking at many; nothing can be kept meanwhile.
    pub(crate) fn open(&self) -> Open<'_, T> {
        Open { slot_bytes: self.slot_bytes, inner: self.inner.borrow() }
    }

    /// Whether a field came before, lately; it does now. Only such a field is worth keeping.
    pub(crate) fn comes_again<'f>(&self, field: impl Into<Field<'f>>) -> bool {
        let Field { hash, .. } = field.into();
        let mut inner = self.inner.borrow_mut();
        self.make_room(&mut inner);
        let part = (hash >> 36) as u16 | 1;
        let places = inner.came.len();
        let place = (hash >> 20) as usize & places.wrapping_sub(1);
        inner.came.get_mut(place).is_some_and(|came| std::mem::replace(came, part) == part)
    }

    /// Remembers a field, unless it is too long or in the way of others that are in use.
    pub(crate) fn keep<'f>(&self, field: impl Into<Field<'f>>, text: &[u8], said: T) {
        let Field { bytes: field, hash } = field.into();
        if field.len() + text.len() > self.slot_bytes {
            return;
        }
        let mut inner = self.inner.borrow_mut();
        self.make_room(&mut inner);
        let Inner { owner, request, hashes, entries, bytes, .. } = &mut *inner;
        let set = self.set_of(hash);
        let used = |way: &usize| entries.get(set * WAYS + way).map_or(u64::MAX, |entry| entry.used);
        let way = (0..WAYS).min_by_key(used).unwrap_or_default();
        let slot = set * WAYS + way;
        let start = slot * self.slot_bytes;
        let text_start = start + field.len();
        let Some(entry) = entries.get_mut(slot).filter(|entry| entry.used != *request) else { return };
        if let Some(place) = bytes.get_mut(start..text_start) {
            place.copy_from_slice(field);
        }
        if let Some(place) = bytes.get_mut(text_start..text_start + text.len()) {
            place.copy_from_slice(text);
        }
        let (field_len, text_len) = (field.len(), text.len());
        *entry = Entry { owner: *owner, used: *request, field_len, text_len, said };
        if let Some(place) = hashes.get_mut(set).and_then(|set| set.get_mut(way)) {
            *place = hash;
        }
    }
}

/// Looks up lines in the order in which they come. Clients send the same ones after each other over and over, so that
/// most need not be hashed, nor their ends looked for.
pub(crate) struct Following<'m, T> {
    memo: &'m Memo<T>,
    inner: RefMut<'m, Inner<T>>,
    /// The slot of the line that was found last.
    last: usize,
}

impl<T> Following<'_, T> {
    /// The line that came next when the last one came before, if a text begins with it and its end; and how long it is.
    pub(crate) fn guess(&mut self, text: &[u8]) -> Option<(Slot, usize, &T)> {
        let inner = &mut *self.inner;
        let slot = usize::from(*inner.next.get(self.last)?);
        let entry = inner.entries.get_mut(slot)?;
        let (len, start) = (entry.field_len, slot * self.memo.slot_bytes);
        let is_it = text.get(len..len + 2) == Some(b"\r\n")
            && entry.owner == inner.owner
            && text.get(..len) == inner.bytes.get(start..start + len);
        is_it.then(|| {
            self.last = slot;
            entry.used = inner.request;
            (Slot(slot), len, &entry.said)
        })
    }
}

impl<T: Copy + Default> Following<'_, T> {
    /// A line that came before; it is the one to guess the next time.
    pub(crate) fn find(&mut self, field: Field<'_>) -> Option<(Slot, &T)> {
        let inner = &mut *self.inner;
        let slot = self.memo.slot_of(inner, field)?;
        if let Some(next) = inner.next.get_mut(self.last) {
            *next = slot as u16;
        }
        self.last = slot;
        let entry = inner.entries.get_mut(slot)?;
        entry.used = inner.request;
        Some((Slot(slot), &entry.said))
    }
}

/// What is remembered, to be looked at.
pub(crate) struct Open<'m, T> {
    slot_bytes: usize,
    inner: Ref<'m, Inner<T>>,
}

impl<T> Open<'_, T> {
    /// The text of a slot, and what it says.
    pub(crate) fn get(&self, slot: Slot) -> Option<(&[u8], &T)> {
        let entry = self.inner.entries.get(slot.0)?;
        let start = slot.0 * self.slot_bytes + entry.field_len;
        Some((self.inner.bytes.get(start..start + entry.text_len)?, &entry.said))
    }
}

/// The name that the text of a line, `H:name=value`, shows.
pub(crate) fn name_of<'t>(text: &'t [u8], said: &Said) -> &'t [u8] {
    text.get(2..2 + usize::from(said.name_len)).unwrap_or_default()
}

/// The path that a line, `P:/path`, shows.
pub(crate) fn path_of<'t>(line: &'t [u8], said: &PathSaid) -> &'t [u8] {
    line.get(2..2 + said.len).unwrap_or_default()
}

impl Said {
    /// What a line with these flags says; `None` where that is more than is remembered.
    pub(crate) fn new(
        plain: FlagSet,
        parameters: impl Iterator<Item = (Flag, Parameter)>,
        line: &[u8],
        name: &[u8],
        len: usize,
    ) -> Option<Self> {
        let is_plain = bytes::union(line) & (BACKSLASH | ENCODED | HIGH) == 0;
        let name_len = u16::try_from(name.len()).ok()?;
        let mut said = Said { plain, is_plain, name_len, len, rank: Rank::of(name), ..Said::default() };
        let mut slots = said.parameters.iter_mut();
        for parameter in parameters {
            *slots.next()? = Some(parameter);
        }
        Some(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_again() {
        let mut memos = Memos::default();
        memos.begin(1);
        assert_eq!(memos.lines.find(&b"A: b"[..]), None);
        let said = Said::new(FlagSet::default(), std::iter::empty(), b"A: b", b"a", 4).unwrap();
        memos.lines.keep(&b"A: b"[..], b"H:a=b\n", said);
        memos.begin(1);
        let slot = memos.lines.find(&b"A: b"[..]).unwrap();
        memos.lines.with(slot, |text, said| {
            assert_eq!((text, name_of(text, said), said.len), (&b"H:a=b\n"[..], &b"a"[..], 4));
        });
        assert_eq!(memos.lines.find(&b"A: c"[..]), None);
        memos.begin(2);
        assert_eq!(memos.lines.find(&b"A: b"[..]), None, "other settings");
    }

    #[test]
    fn lines_that_follow_each_other_are_found_alike() {
        let mut memo: Memo<NameSaid> = Memo::new(64, 64);
        memo.begin(1);
        let lines: Vec<String> = (0..24).map(|i| format!("X-{}: {}", i % 7, "v".repeat(i))).collect();
        for line in lines.iter().filter(|line| line.len() % 5 != 0) {
            memo.keep(line.as_bytes(), b"", NameSaid::default());
        }
        let mut guessed = 0;
        for round in 0..200 {
            memo.begin(1 + u64::from(round % 50 == 49));
            let order: Vec<&String> = lines
                .iter()
                .enumerate()
                .filter(|(i, _)| (round / 20 + i) % 3 != 0)
                .map(|(_, line)| line)
                .collect();
            let text: String = order.iter().map(|line| format!("{line}\r\n")).collect();
            let expected: Vec<Option<Slot>> = order.iter().map(|line| memo.find(line.as_bytes())).collect();
            let mut following = memo.follow();
            let mut rest = text.as_bytes();
            for (line, expected) in order.iter().zip(expected) {
                let guess = following.guess(rest).map(|(slot, len, _)| (slot, len));
                if let Some((slot, len)) = guess {
                    assert_eq!((Some(slot), len), (expected, line.len()));
                    guessed += 1;
                } else {
                    let found = following.find(line.as_bytes().into()).map(|(slot, _)| slot);
                    assert_eq!(found, expected, "{line}");
                }
                rest = &rest[line.len() + 2..];
            }
            assert!(following.guess(b"\r\n").is_none());
        }
        assert!(guessed > 1_000, "{guessed}");
    }

    #[test]
    fn what_a_request_uses_stays() {
        let mut memo: Memo<NameSaid> = Memo::new(64, 32);
        memo.begin(1);
        let fields: Vec<Vec<u8>> = (0..256).map(|i| format!("X: {i}").into_bytes()).collect();
        for field in &fields {
            memo.keep(&field[..], field, NameSaid::default());
        }
        let kept: Vec<&Vec<u8>> = fields.iter().filter(|field| memo.find(&field[..]).is_some()).collect();
        assert!(kept.len() > 32 && kept.len() <= 64, "{}", kept.len());
        for field in kept {
            memo.with(memo.find(&field[..]).unwrap(), |text, _| assert_eq!(text, *field));
        }
        memo.begin(1);
        memo.keep(&[b'x'; 20][..], &[b'x'; 20], NameSaid::default());
        assert_eq!(memo.find(&[b'x'; 20][..]), None, "too long");
        memo.keep(&b"new"[..], b"", NameSaid::default());
        assert!(memo.find(&b"new"[..]).is_some(), "what an earlier request used may go");
    }
}
