//! The file of a model: `tamizmdl`, the version of the format, a length, what follows, and its SHA-256.
//!
//! Numbers are LEB128. Tokens are sorted, each told by how many bytes it shares with the one before and by the rest; counts
//! refer to them by number, as differences. A set of the sample is told by how it differs from what most requests of its
//! endpoint have.

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::model::{Bounds, Endpoint, Model, Sampled};
use crate::table::Table;

/// The version of the format.
pub(crate) const VERSION: u8 = 1;
const MAGIC: &[u8] = b"tamizmdl";
const CHECKSUM: usize = 32;

impl Model {
    /// Writes the model. Models of the same requests give the same bytes, whatever their order.
    pub fn to_bytes(&self) -> Vec<u8> {
        let order = self.tokens_in_order();
        let mut ranks = vec![0; self.names.len() as usize];
        for (rank, id) in order.iter().enumerate() {
            ranks.get_mut(*id as usize).into_iter().for_each(|to| *to = rank as u32);
        }
        let mut out = Writer { out: Vec::new(), ranks };
        out.text(&self.fingerprint);
        out.number(u64::from(self.form));
        let Bounds { endpoints, endpoint_tokens, tokens, sample } = self.bounds;
        for bound in [endpoints, endpoint_tokens, tokens, sample] {
            out.number(bound as u64);
        }
        out.number(self.requests);
        out.number(self.elsewhere);
        out.number(u64::from(self.endpoint_level));
        out.number(self.sources.len() as u64);
        for (source, count) in &self.sources {
            out.text(source);
            out.number(*count);
        }
        out.names(order.iter().map(|id| self.names.name(*id)));
        out.table(&self.whole);
        out.number(self.endpoints.len() as u64);
        out.names(self.endpoints.keys().map(String::as_str));
        let mut alphabets: Vec<(&str, Alphabet)> = Vec::with_capacity(self.endpoints.len());
        for (name, endpoint) in &self.endpoints {
            out.number(endpoint.requests);
            let counts = out.table(&endpoint.table);
            alphabets.push((name, Alphabet::of(&counts, endpoint.requests)));
        }
        out.sample(self, &alphabets);
        let body = out.out;
        let mut file = Vec::with_capacity(body.len() + 64);
        file.extend_from_slice(MAGIC);
        file.push(VERSION);
        file.extend_from_slice(&(body.len() as u64).to_le_bytes());
        file.extend_from_slice(&body);
        let checksum = Sha256::digest(&file);
        file.extend_from_slice(&checksum);
        file
    }

    /// Reads a model.
    ///
    /// # Errors
    /// When the bytes are no model, one of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Error::NotAModel)?;
        let (version, rest) = rest.split_first().ok_or(Error::Damaged)?;
        if *version != VERSION {
            return Err(Error::Version(*version));
        }
        let (length, rest) = rest.split_first_chunk::<8>().ok_or(Error::Damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Error::Damaged)?;
        let (body, checksum) = rest.split_at_checked(length).ok_or(Error::Damaged)?;
        let head = bytes.get(..bytes.len().saturating_sub(CHECKSUM)).ok_or(Error::Damaged)?;
        if checksum.len() != CHECKSUM || Sha256::digest(head)[..] != *checksum {
            return Err(Error::Damaged);
        }
        Reader(body).model().ok_or(Error::Damaged)
    }
}

/// A file under way.
struct Writer {
    out: Vec<u8>,
    /// The numbers that tokens have in the file.
    ranks: Vec<u32>,
}

impl Writer {
    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.out.push((n & 0x7f) as u8 | 0x80);
            n >>= 7;
        }
        self.out.push(n as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Sorted texts.
    fn names<'n>(&mut self, names: impl ExactSizeIterator<Item = &'n str>) {
        self.number(names.len() as u64);
        let mut before = "";
        for name in names {
            let shared = before.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
            self.number(shared as u64);
            let rest = name.as_bytes().get(shared..).unwrap_or_default();
            self.number(rest.len() as u64);
            self.out.extend_from_slice(rest);
            before = name;
        }
    }

    fn rank(&self, id: u32) -> u32 {
        self.ranks.get(id as usize).copied().unwrap_or_default()
    }

    /// Writes a table; its tokens, by their numbers in the file, and their counts.
    fn table(&mut self, table: &Table) -> Vec<(u32, u64)> {
        self.number(u64::from(table.level));
        self.number(table.let_go);
        self.number(table.len() as u64);
        let mut counts: Vec<(u32, u64)> = table.iter().map(|(id, count)| (self.rank(id), count)).collect();
        counts.sort_unstable();
        let mut before = 0;
        for (rank, count) in &counts {
            self.number(u64::from(rank - before));
            self.number(*count);
            before = *rank;
        }
        counts
    }

    fn sample(&mut self, model: &Model, alphabets: &[(&str, Alphabet)]) {
        self.number(model.sample.len() as u64);
        let nothing = Alphabet::default();
        let mut before = 0;
        for (identity, sampled) in &model.sample {
            self.number(identity - before);
            before = *identity;
            self.number(sampled.count);
            let at = alphabets.binary_search_by_key(&sampled.endpoint.as_str(), |(name, _)| name).ok();
            match at {
                Some(at) => self.number(at as u64 + 1),
                None => {
                    self.number(0);
                    self.text(&sampled.endpoint);
                }
            }
            let alphabet = at.and_then(|at| alphabets.get(at)).map_or(&nothing, |(_, alphabet)| alphabet);
            let mut tokens: Vec<u32> = sampled.tokens.iter().map(|id| self.rank(*id)).collect();
            tokens.sort_unstable();
            let differing = alphabet.differing(&tokens);
            self.number(differing.len() as u64);
            let mut before = 0;
            for place in differing {
                self.number(place - before);
                before = place;
            }
        }
    }
}

/// The tokens of an endpoint, and those that more than half of its requests have; both sorted.
#[derive(Default)]
struct Alphabet {
    all: Vec<u32>,
    usual: Vec<u32>,
}

impl Alphabet {
    fn of(counts: &[(u32, u64)], requests: u64) -> Self {
        let usual = counts.iter().filter(|(_, count)| count.saturating_mul(2) > requests);
        Alphabet {
            usual: usual.map(|(token, _)| *token).collect(),
            all: counts.iter().map(|(token, _)| *token).collect(),
        }
    }

    /// How sorted tokens differ from the usual ones: by places among all, or behind them.
    fn differing(&self, tokens: &[u32]) -> Vec<u64> {
        let place = |token: u32| match self.all.binary_search(&token) {
            Ok(at) => at as u64,
            Err(_) => self.all.len() as u64 + u64::from(token),
        };
        let mut differing = Vec::new();
        let (mut usual, mut there) = (self.usual.as_slice(), tokens);
        // Both are sorted: of the least of each, the lesser is missing in the other.
        while let (Some((a, more_usual)), Some((b, more_there))) = (usual.split_first(), there.split_first())
        {
            if a != b {
                differing.push(place(*a.min(b)));
            }
            (usual, there) =
                (if a <= b { more_usual } else { usual }, if b <= a { more_there } else { there });
        }
        differing.extend(usual.iter().chain(there).map(|token| place(*token)));
        differing.sort_unstable();
        differing
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut out = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            out |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(out);
            }
        }
        None
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// How many things follow, each of which takes a byte at least.
    fn count(&mut self) -> Option<usize> {
        self.size().filter(|count| *count <= self.0.len())
    }

    fn bytes(&mut self, length: usize) -> Option<&[u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.size()?;
        String::from_utf8(self.bytes(length)?.to_vec()).ok()
    }

    fn names(&mut self) -> Option<Vec<String>> {
        let count = self.count()?;
        let mut names: Vec<String> = Vec::with_capacity(count);
        for _ in 0..count {
            let shared = self.size()?;
            let mut name = match names.last() {
                Some(before) => before.as_bytes().get(..shared)?.to_vec(),
                None if shared == 0 => Vec::new(),
                None => return None,
            };
            let length = self.size()?;
            name.extend_from_slice(self.bytes(length)?);
            names.push(String::from_utf8(name).ok()?);
        }
        Some(names)
    }

    fn table(&mut self, model: &Model, bound: usize) -> Option<Table> {
        let mut table = Table::default();
        table.level = u8::try_from(self.number()?).ok().filter(|level| *level < 64)?;
        let let_go = self.number()?;
        let hash_of = |id| model.names.hash(id);
        let mut id = 0_u32;
        for _ in 0..self.count()? {
            id = id.checked_add(u32::try_from(self.number()?).ok()?)?;
            if id >= model.names.len() {
                return None;
            }
            let count = self.number()?;
            table.add(id, count, bound, &hash_of);
        }
        table.let_go = let_go;
        Some(table)
    }

    fn model(mut self) -> Option<Model> {
        let fingerprint = self.text()?;
        let form = u32::try_from(self.number()?).ok()?;
        let bounds = Bounds {
            endpoints: self.size()?,
            endpoint_tokens: self.size()?,
            tokens: self.size()?,
            sample: self.size()?,
        };
        let mut model = Model::empty(fingerprint, form, bounds);
        model.requests = self.number()?;
        model.elsewhere = self.number()?;
        model.endpoint_level = u8::try_from(self.number()?).ok().filter(|level| *level < 64)?;
        for _ in 0..self.count()? {
            let source = self.text()?;
            let count = self.number()?;
            model.sources.insert(source, count);
        }
        for name in self.names()? {
            model.names.id(&name);
        }
        model.whole = self.table(&model, bounds.tokens)?;
        let count = self.count()?;
        let names = self.names().filter(|names| names.len() == count)?;
        for name in names {
            let requests = self.number()?;
            let table = self.table(&model, bounds.endpoint_tokens)?;
            model.endpoints.insert(name, Endpoint { requests, table });
        }
        self.sample(&mut model)?;
        self.0.is_empty().then_some(model)
    }

    fn sample(&mut self, model: &mut Model) -> Option<()> {
        let alphabet = |endpoint: &Endpoint| Alphabet::of(&endpoint.table.sorted(), endpoint.requests);
        let endpoints: Vec<(String, Alphabet)> =
            model.endpoints.iter().map(|(name, endpoint)| (name.clone(), alphabet(endpoint))).collect();
        let nothing = Alphabet::default();
        let mut identity = 0_u64;
        for _ in 0..self.count()? {
            identity = identity.checked_add(self.number()?)?;
            let count = self.number()?;
            let (endpoint, alphabet) = match self.size()? {
                0 => (self.text()?, &nothing),
                at => endpoints.get(at - 1).map(|(name, alphabet)| (name.clone(), alphabet))?,
            };
            let all = &alphabet.all;
            let mut tokens = alphabet.usual.clone();
            let mut rank = 0_u64;
            for _ in 0..self.count()? {
                rank = rank.checked_add(self.number()?)?;
                let id = match usize::try_from(rank).ok().and_then(|at| all.get(at)) {
                    Some(id) => *id,
                    None => u32::try_from(rank - all.len() as u64).ok()?,
                };
                match tokens.binary_search(&id) {
                    Ok(at) => drop(tokens.remove(at)),
                    Err(at) if id < model.names.len() => tokens.insert(at, id),
                    Err(_) => return None,
                }
            }
            model.sample.insert(identity, Sampled { endpoint, tokens, count });
        }
        Some(())
    }
}
