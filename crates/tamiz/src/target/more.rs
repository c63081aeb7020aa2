//! Pairs beyond those that a document shows: read one by one, told and let go.

use bumpalo::collections::Vec as BumpVec;

use super::pair::{Pair, Syntax};
use crate::context::Context;
use crate::distinct::Distinct;
use crate::flags::{Flag, FlagSet, Parameter};
use crate::formats::embedded::Embedded;
use crate::inspect::{Key, MorePairs};
use crate::show::NameShown;
use crate::text::Text;

/// A shorter secret is searched for nowhere.
const SHORTEST_SECRET: usize = 8;

/// What is known of a key.
#[derive(Clone, Copy)]
struct Told {
    shown: NameShown,
    is_repaired: bool,
    /// Which pair beyond those that are shown puts it in its place among the others; zero where none does.
    first: u32,
    /// The flags whose parameter it is, as words: a set is aligned as a number of twice the size.
    flags: [u64; 2],
}

impl<'a> MorePairs<'a> {
    /// Reads the tokens behind the pairs that are shown. `None` where there are none.
    pub(super) fn read(
        tokens: impl Iterator<Item = Text<'a>>,
        shown: &[Pair<'a>],
        syntax: Syntax,
        cx: Context<'a>,
    ) -> Option<Self> {
        let mut tokens = tokens.peekable();
        tokens.peek()?;
        let mut more = MorePairs {
            count: 0,
            flags: cx.flags(),
            keyed: BumpVec::new_in(cx.bump),
            secrets: BumpVec::new_in(cx.bump),
            holds_secret: false,
            holds_capped: false,
        };
        let mut keys = Distinct::new(cx.bump);
        for pair in shown {
            keys.get_or_insert(pair.key.text.bytes, Told::new(pair.key));
        }
        cx.spare.with_arena(|arena| {
            for token in tokens {
                arena.reset();
                let shared = cx.in_arena(arena);
                more.take(Pair::read(token, syntax, Context::new(&shared)), &mut keys, syntax, cx);
            }
        });
        let is_keyed = |told: &Told| !FlagSet::from_words(told.flags).is_empty();
        let mut keyed = BumpVec::new_in(cx.bump);
        keyed.reserve_exact(keys.entries.iter().filter(|entry| is_keyed(&entry.of)).count());
        keyed.extend(keys.entries.iter().filter(|entry| is_keyed(&entry.of)));
        keyed.sort_unstable_by_key(|entry| entry.of.first);
        more.keyed.reserve_exact(keyed.len());
        more.keyed.extend(keyed.into_iter().map(|entry| {
            let text = Text::untraced(entry.text);
            let text = if entry.of.is_repaired { text.repaired() } else { text };
            (Key { text, shown: entry.of.shown }, FlagSet::from_words(entry.of.flags))
        }));
        Some(more)
    }

    fn take(&mut self, mut pair: Pair<'_>, keys: &mut Distinct<'a, Told>, syntax: Syntax, cx: Context<'a>) {
        self.count = self.count.saturating_add(1);
        let nth = u32::try_from(self.count).unwrap_or(u32::MAX);
        let Some((told, came_before)) = keys.get_or_insert(pair.key.text.bytes, Told::new(pair.key)) else {
            return;
        };
        if came_before {
            pair.flags.raise(Flag::QRepeat, pair.key.text);
        }
        let is_of_key = |flag: &Flag| flag.parameter_kind() == Parameter::Key;
        let of_key: FlagSet = pair.flags.set.iter().filter(is_of_key).collect();
        // The notes on a form name keys in the order in which they were told.
        if told.first == 0 && (syntax == Syntax::Url || !of_key.is_empty()) {
            told.first = nth;
        }
        told.flags = FlagSet::from_words(told.flags).union(of_key).words();
        self.flags.absorb(&pair.flags);
        pair.leaf_flags().for_each(|flags| self.flags.absorb(flags));
        self.holds_capped |= pair.json.is_some_and(|json| json.capped);
        if pair.key.shown == NameShown::Secret {
            self.take_secret(pair.key.text, cx);
        }
        if let Some(value) = pair.value.filter(|_| pair.secret) {
            self.take_secret(value, cx);
        }
        if let Some(json) = pair.json {
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
}

impl Told {
    fn new(key: Key<'_>) -> Self {
        Told {
            shown: key.shown,
            is_repaired: key.text.is_repaired(),
            first: 0,
            flags: FlagSet::default().words(),
        }
    }
}
