//! Random secrets, the places they are planted in and the spellings they come in: what the leak
//! tests of the library and of the command share.

#![allow(dead_code, unreachable_pub, reason = "each test includes it and uses its part")]

pub mod draft;
pub mod kinds;
pub mod look;
pub mod places;
pub mod spellings;

use draft::{Draft, Wrap};
use kinds::Canary;
use places::{Field, Hides, Place};
use spellings::Spelling;

/// A source of chance that gives the same numbers for the same seed (SplitMix64).
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// So many characters of an alphabet.
    pub fn text(&mut self, alphabet: &str, len: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..len).map(|_| *self.pick(&alphabet)).collect()
    }
}

/// The seed of a run: `TAMIZ_LEAKS_SEED`, or always the same.
pub fn seed() -> u64 {
    let chosen = std::env::var("TAMIZ_LEAKS_SEED").ok();
    chosen.map_or(0x007A_4D12, |seed| seed.parse().expect("TAMIZ_LEAKS_SEED is a number"))
}

/// Which of `total` cases to run: all of them with `TAMIZ_LEAKS=all`, else so many at random.
pub fn chosen(total: usize, sample: usize, rng: &mut Rng) -> Vec<usize> {
    if std::env::var("TAMIZ_LEAKS").is_ok_and(|word| word == "all") || total <= sample {
        return (0..total).collect();
    }
    (0..sample).map(|_| rng.below(total)).collect()
}

/// A request with a secret in it.
pub struct Case {
    /// Place, kind and spelling.
    pub name: String,
    pub request: Vec<u8>,
    pub canary: Canary,
}

/// Every way to plant what is recognised by itself, by number.
pub struct ByContent {
    places: Vec<Place>,
    kinds: usize,
}

impl ByContent {
    pub fn new() -> Self {
        let places = places::all().into_iter().filter(|place| place.hides != Hides::Nothing).collect();
        ByContent { places, kinds: kinds::contents(&mut Rng::new(0)).len() }
    }

    pub fn describe(&self) -> String {
        format!("{} places × {} kinds × {} spellings", self.places.len(), self.kinds, Spelling::ALL.len())
    }

    pub fn total(&self) -> usize {
        self.places.len() * self.kinds * Spelling::ALL.len()
    }

    /// The case of a number; `None` where such a text cannot stand in such a place.
    pub fn case(&self, number: usize, seed: u64) -> Option<Case> {
        let mut rng = Rng::new(seed ^ (number as u64) << 20);
        let (spelling, rest) = (Spelling::ALL[number % Spelling::ALL.len()], number / Spelling::ALL.len());
        let place = &self.places[rest / self.kinds];
        let canary = kinds::contents(&mut rng).swap_remove(rest % self.kinds);
        plant(place, &canary.text.clone(), canary, spelling, Wrap::ALL, &mut rng)
    }
}

/// Every way to plant an ordinary text where whatever stands is a secret, by number.
pub struct ByPlace {
    places: Vec<Place>,
    alphabets: usize,
}

impl ByPlace {
    /// `explained`: also hidden where the request itself is shown, masked.
    pub fn new(explained: bool) -> Self {
        let fits = |place: &Place| match place.hides {
            Hides::Secret | Hides::Anything => true,
            Hides::Shape => !explained,
            Hides::Content | Hides::Nothing => false,
        };
        let places = places::all().into_iter().filter(fits).collect();
        ByPlace { places, alphabets: kinds::plain(&mut Rng::new(0)).len() }
    }

    pub fn describe(&self) -> String {
        let spellings = Spelling::ALL.len();
        format!("{} places × {} alphabets × {spellings} spellings", self.places.len(), self.alphabets)
    }

    pub fn total(&self) -> usize {
        self.places.len() * self.alphabets * Spelling::ALL.len()
    }

    pub fn case(&self, number: usize, seed: u64) -> Option<Case> {
        let mut rng = Rng::new(seed ^ (number as u64) << 20 ^ 1);
        let (spelling, rest) = (Spelling::ALL[number % Spelling::ALL.len()], number / Spelling::ALL.len());
        let place = &self.places[rest / self.alphabets];
        let canary = kinds::plain(&mut rng).swap_remove(rest % self.alphabets);
        plant(place, &canary.text.clone(), canary, spelling, Wrap::ALL, &mut rng)
    }
}

/// Every way to plant a secret where it is one, and again where it would be shown, by number.
pub struct ByEcho {
    sources: Vec<Place>,
    sinks: Vec<Place>,
    alphabets: usize,
}

impl ByEcho {
    pub fn new() -> Self {
        let sources: Vec<Place> =
            places::all().into_iter().filter(|place| place.hides == Hides::Secret).collect();
        ByEcho { sources, sinks: places::all(), alphabets: kinds::plain(&mut Rng::new(0)).len() }
    }

    /// Echoes in texts that stand beside others and are seen by themselves: pieces, folded and repeated lines, values.
    pub fn in_pieces() -> Self {
        let sinks =
            places::all().into_iter().filter(|place| matches!(place.field, Field::Piece | Field::Word));
        ByEcho { sinks: sinks.collect(), ..ByEcho::new() }
    }

    pub fn describe(&self) -> String {
        format!(
            "{} sources × {} places × {} alphabets × {} spellings × {} spellings",
            self.sources.len(),
            self.sinks.len(),
            self.alphabets,
            Spelling::ALL.len(),
            Spelling::ALL.len()
        )
    }

    pub fn total(&self) -> usize {
        self.sources.len() * self.sinks.len() * self.alphabets * Spelling::ALL.len() * Spelling::ALL.len()
    }

    pub fn case(&self, number: usize, seed: u64) -> Option<Case> {
        let mut rng = Rng::new(seed ^ (number as u64) << 20 ^ 2);
        let mut rest = number;
        let mut digit = |base: usize| {
            let digit = rest % base;
            rest /= base;
            digit
        };
        let (first, second) = (digit(Spelling::ALL.len()), digit(Spelling::ALL.len()));
        let (first, second) = (Spelling::ALL[first], Spelling::ALL[second]);
        let canary = kinds::plain(&mut rng).swap_remove(digit(self.alphabets));
        let (sink, source) = (&self.sinks[digit(self.sinks.len())], &self.sources[digit(self.sources.len())]);
        let mut draft = Draft::default();
        let around = *rng.pick(&["", "x", "see-", "A."]);
        let echo = format!("{around}{}{}", canary.text, rng.pick(&["", "x", "_9"]));
        let text = first.of(&canary.text, source.field, &mut rng)?;
        (source.plant)(&mut draft, &text, &kinds::sensitive_name(&mut rng));
        let text = second.of(&echo, sink.field, &mut rng)?;
        (sink.plant)(&mut draft, &text, "note");
        let name = format!("{} as {} in {}, {first:?} then {second:?}", canary.kind, source.name, sink.name);
        let request = draft.request(*rng.pick(Wrap::WHOLE), &mut rng)?;
        Some(Case { name, request, canary })
    }
}

/// Every way to plant what identifies someone in a path, by number.
pub struct ByPath {
    kinds: usize,
}

impl ByPath {
    /// Where it stands in a segment.
    const AROUND: [(&str, &str); 7] = [
        ("/a/", "/b"),
        ("/", ".json"),
        ("/", ".tar.gz"),
        ("/id=", ""),
        ("/a;x=", "/b"),
        ("/a,", ",b"),
        ("/a:", ""),
    ];
    /// How it is spelt: what one decoding undoes.
    const SPELLINGS: [Spelling; 4] =
        [Spelling::AsItIs, Spelling::Percent, Spelling::SomePercent, Spelling::Entities];

    pub fn new() -> Self {
        ByPath { kinds: kinds::identifiers(&mut Rng::new(0)).len() }
    }

    pub fn describe(&self) -> String {
        format!(
            "{} kinds × {} segments × {} spellings",
            self.kinds,
            Self::AROUND.len(),
            Self::SPELLINGS.len()
        )
    }

    pub fn total(&self) -> usize {
        self.kinds * Self::AROUND.len() * Self::SPELLINGS.len()
    }

    pub fn case(&self, number: usize, seed: u64) -> Option<Case> {
        let mut rng = Rng::new(seed ^ (number as u64) << 20 ^ 3);
        let (spelling, rest) =
            (Self::SPELLINGS[number % Self::SPELLINGS.len()], number / Self::SPELLINGS.len());
        let ((before, after), rest) = (Self::AROUND[rest % Self::AROUND.len()], rest / Self::AROUND.len());
        let canary = kinds::identifiers(&mut rng).swap_remove(rest);
        // A bot is one by all of its segment.
        if canary.kind == "bot" && !before.ends_with("a/") {
            return None;
        }
        let text = spelling.of(&canary.text, places::Field::Path, &mut rng)?;
        let path = [before.as_bytes(), &text, after.as_bytes()].concat();
        let draft = Draft { path, ..Draft::default() };
        let name = format!("{} between {before} and {after}, {spelling:?}", canary.kind);
        Some(Case { name, request: draft.request(Wrap::None, &mut rng)?, canary })
    }
}

fn plant(
    place: &Place,
    text: &str,
    canary: Canary,
    spelling: Spelling,
    wraps: &[Wrap],
    rng: &mut Rng,
) -> Option<Case> {
    let mut draft = Draft::default();
    let text = spelling.of(text, place.field, rng)?;
    (place.plant)(&mut draft, &text, &kinds::sensitive_name(rng));
    let name = format!("{} in {}, {spelling:?}", canary.kind, place.name);
    let request = draft.request(*rng.pick(wraps), rng)?;
    Some(Case { name, request, canary })
}
