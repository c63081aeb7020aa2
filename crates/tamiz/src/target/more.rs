//! Pairs beyond those that a document shows: read one by one, told and let go.

use bumpalo::collections::Vec as BumpVec;

use super::pair::{Pair, Syntax};
use super::token::Token;
use crate::context::Context;
use crate::distinct::Distinct;
use crate::flags::{Flag, FlagSet};
use crate::formats::embedded::Embedded;
use crate::inspect::{Key, MorePairs};
use crate::show::NameShown;
use crate::text::Text;

/// A shorter secret is searched for nowhere.
const SHORTEST_SECRET: usize = 8;

/// The record of a key.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    shown: NameShown,
    is_repaired: bool,
    /// Which pair beyond those that are shown puts it in its place among the others; zero where none does.
    first: u32,
    /// The flags whose parameter it is, as words: a set is aligned as a number of twice the size.
    flags: [u64; 2],
}

impl<'a> MorePairs<'a> {
    /// Reads the tokens behind the pairs that are shown, of which the keys are known.
    pub(super) fn read(
        first: Token<'a>,
        mut tokens: impl Iterator<Item = Token<'a>>,
        mut keys: Distinct<'a, Seen>,
        syntax: Syntax,
        cx: Context<'a>,
    ) -> Self {
        let mut more = MorePairs {
            count: 0,
            flags: cx.flags(),
            keyed: BumpVec::new_in(cx.bump),
            secrets: BumpVec::new_in(cx.bump),
            holds_secret: false,
            holds_capped: false,
        };
        cx.spare.with_arena(|arena| {
            let mut next = Some(first);
            while let Some(token) = next {
                more.count = more.count.saturating_add(1);
                if token.is_quiet(cx) {
                    more.take_quiet(&token, &mut keys, syntax, cx);
                } else {
                    arena.reset();
                    let shared = cx.in_arena(arena);
                    more.take(Pair::loud(&token, syntax, Context::new(&shared)), &mut keys, syntax, cx);
                }
                next = tokens.next();
            }
        });
        more.keep_keys(&keys, cx);
        more
    }

    /// Takes a token with no flags but those that its key raises.
    #[inline]
    fn take_quiet(
        &mut self,
        token: &Token<'a>,
        keys: &mut Distinct<'a, Seen>,
        syntax: Syntax,
        cx: Context<'a>,
    ) {
        let key = token.quiet_key();
        let Some((seen, came_before)) = keys.get_or_insert_kept(key.text.bytes, Seen::new(key)) else {
            return;
        };
        let is_array = token.is_array();
        let of_key = [(Flag::QRepeat, came_before), (Flag::QArray, is_array)];
        for (flag, _) in of_key.into_iter().filter(|(_, is_raised)| *is_raised) {
            self.flags.raise(flag, key.text);
            seen.add(FlagSet::from_iter([flag]));
        }
        seen.put(self.count, syntax == Syntax::Url || came_before || is_array);
        if token.is_sensitive(cx)
            && let Some(value) = token.value()
        {
            self.take_secret(value.repaired(), cx);
        }
    }

    fn take(&mut self, mut pair: Pair<'_>, keys: &mut Distinct<'a, Seen>, syntax: Syntax, cx: Context<'a>) {
        let Some((seen, came_before)) = keys.get_or_insert(pair.key.text.bytes, Seen::new(pair.key)) else {
            return;
        };
        if came_before {
            pair.flags.raise(Flag::QRepeat, pair.key.text);
        }
        let of_key = pair.flags.set.of_keys();
        // The notes on a form name keys in the order in which they were told.
        seen.put(self.count, syntax == Syntax::Url || !of_key.is_empty());
        seen.add(of_key);
        if !pair.flags.set.is_empty() {
            self.flags.absorb(&pair.flags);
        }
        if pair.key.shown == NameShown::Secret {
            self.take_secret(pair.key.text, cx);
        }
        if let Some(value) = pair.value.filter(|_| pair.secret) {
            self.take_secret(value, cx);
        }
        if let Some(json) = pair.json {
            json.leaf_flags().for_each(|flags| self.flags.absorb(flags));
            self.holds_capped |= json.capped;
            self.holds_secret |= Embedded::holds_secret(json);
            json.secret_texts().for_each(|secret| self.take_secret(secret, cx));
        }
    }

    fn take_secret(&mut self, secret: Text<'_>, cx: Context<'a>) {
        self.holds_secret = true;
        if secret.len() >= SHORTEST_SECRET {
            let text = Text::untraced(cx.bump.alloc_slice_copy(secret.bytes));
            self.secrets.push(if secret.is_repaired() { text.repaired() } else { text });
        }
    }

    /// Keeps the keys that are the parameter of a flag.
    fn keep_keys(&mut self, keys: &Distinct<'a, Seen>, cx: Context<'a>) {
        let is_keyed = |seen: &Seen| seen.flags != [0; 2];
        let mut keyed = BumpVec::new_in(cx.bump);
        keyed.reserve_exact(keys.entries.iter().filter(|entry| is_keyed(&entry.of)).count());
        keyed.extend(keys.entries.iter().filter(|entry| is_keyed(&entry.of)));
        keyed.sort_unstable_by_key(|entry| entry.of.first);
        self.keyed.reserve_exact(keyed.len());
        self.keyed.extend(keyed.into_iter().map(|entry| {
            let text = Text::untraced(entry.text);
            let text = if entry.of.is_repaired { text.repaired() } else { text };
            (Key { text, shown: entry.of.shown }, FlagSet::from_words(entry.of.flags))
        }));
    }
}

impl Seen {
    pub(super) fn new(key: Key<'_>) -> Self {
        let flags = FlagSet::default().words();
        Seen { shown: key.shown, is_repaired: key.text.is_repaired(), first: 0, flags }
    }

    /// Notes the pair that gives the key its place, unless another did.
    fn put(&mut self, nth: usize, gives_place: bool) {
        if self.first == 0 && gives_place {
            self.first = u32::try_from(nth).unwrap_or(u32::MAX);
        }
    }

    fn add(&mut self, flags: FlagSet) {
        self.flags = FlagSet::from_words(self.flags).union(flags).words();
    }
}
