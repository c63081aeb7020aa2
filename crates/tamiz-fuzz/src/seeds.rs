//! Inputs that fuzzing starts from: seeds made of `spec/vectors`, and inputs kept because they once failed.

use std::{fs, io};

use crate::common::vectors::{self, Vector};
use crate::mutate::{Mutator, Random};
use crate::targets::{Target, encode_parts, type_index};
use crate::{root, settings};

/// Payloads longer than this are run as seeds, but not mutated.
const MUTATED_LEN: usize = 8192;

/// An input with the name of the vector or file that it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The name, without slashes.
    pub name: String,
    /// The input.
    pub input: Vec<u8>,
}

/// How the input of a target is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layout {
    /// The bytes that choose settings.
    choices: Vec<u8>,
    /// The inputs to mutate.
    payload: Vec<u8>,
}

/// Returns the seeds of a target, in the order of the vectors. The choosing bytes take turns.
pub fn seeds(target: Target) -> Vec<Seed> {
    let vectors = vectors::all();
    let of = |(at, vector): (usize, &Vector)| {
        let choice = u8::try_from(at % settings::COUNT).ok()?;
        let layout = layout(target.name, choice, vector)?;
        Some(Seed { name: vector.name.replace('/', "-"), input: input(target.name, &layout) })
    };
    vectors.iter().enumerate().filter_map(of).collect()
}

fn layout(target: &str, choice: u8, vector: &Vector) -> Option<Layout> {
    let (choices, payload) = match target {
        "document_parse" => (Vec::new(), vector.document.clone().into_bytes()),
        "index" => (Vec::new(), vector.request()),
        "body" => (vec![choice, kind(&vector.document)?, 0], body(&vector.request()).to_vec()),
        "containers" => (vec![choice, 1], vector.request()),
        _ => (vec![choice], vector.request()),
    };
    Some(Layout { choices, payload })
}

/// The input of a layout: its bytes one after another, but for `parts`, whose payload is a request on the wire.
fn input(target: &str, layout: &Layout) -> Vec<u8> {
    match (target, layout.choices.as_slice()) {
        ("parts", [choice, ..]) => encode_parts(*choice, &layout.payload),
        (_, choices) => [choices, &layout.payload].concat(),
    }
}

/// The byte for the content type of a vector's body; `None` if it has no body.
fn kind(document: &str) -> Option<u8> {
    let line = document.lines().find_map(|line| line.strip_prefix("B:"))?;
    type_index(match line.split(' ').next()? {
        "form" => "application/x-www-form-urlencoded",
        "json" => "application/json",
        // Without a boundary, the first line of the body tells it.
        "multipart" => "multipart/form-data",
        "xml" => "application/xml",
        "text" => "text/plain",
        _ => "application/octet-stream",
    })
}

fn body(request: &[u8]) -> &[u8] {
    let end = request.windows(4).position(|window| window == b"\r\n\r\n");
    end.map_or(&[], |end| &request[end + 4..])
}

/// Reads the inputs in `fuzz/kept/<target>`, by name. A target may have none.
pub fn kept(target: Target) -> io::Result<Vec<Seed>> {
    let folder = root().join("fuzz/kept").join(target.name);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut seeds = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        seeds.push(Seed {
            name: entry.file_name().to_string_lossy().into_owned(),
            input: fs::read(entry.path())?,
        });
    }
    seeds.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(seeds)
}

/// Mutated seeds of one target: the numbers of a seed give one sequence, on every machine.
#[derive(Debug)]
pub struct Mutations {
    target: Target,
    layouts: Vec<Layout>,
    mutator: Mutator,
}

impl Mutations {
    /// Prepares the mutations of a target that `seed` stands for.
    pub fn new(target: Target, seed: u64) -> Self {
        let layouts: Vec<Layout> = vectors::all()
            .iter()
            .filter_map(|vector| layout(target.name, 0, vector))
            .filter(|layout| layout.payload.len() <= MUTATED_LEN)
            .collect();
        let mutator = Mutator::new(Random::new(seed), layouts.iter().map(|layout| layout.payload.as_slice()));
        Mutations { target, layouts, mutator }
    }

    /// Returns the next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let random = self.mutator.random();
        let one = &self.layouts[random.below(self.layouts.len())];
        let other = &self.layouts[random.below(self.layouts.len())];
        let mut choices = one.choices.clone();
        // The first byte chooses the configuration, or the format: any of them. Others are kept more often than not,
        // since most types are wrong for a body.
        for (at, choice) in choices.iter_mut().enumerate() {
            if at == 0 || random.below(4) == 0 {
                *choice = random.byte();
            }
        }
        let payload = self.mutator.mutate(&one.payload, &other.payload);
        input(self.target.name, &Layout { choices, payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::TYPES;

    #[test]
    fn seeds_are_inputs_of_their_targets() {
        for &target in Target::ALL {
            let seeds = seeds(target);
            assert!(seeds.len() > 100, "{}: {}", target.name, seeds.len());
            assert!(seeds.iter().all(|seed| !seed.name.contains('/')));
        }
        let request = |target| seeds(Target::by_name(target).unwrap())[13].input.clone();
        assert!(
            request("request")[1..].starts_with(b"GET ") || request("request")[1..].starts_with(b"POST ")
        );
        assert!(request("document_parse").starts_with(b"M:"));
        assert_eq!(request("request")[0], 1);
    }

    #[test]
    fn bodies_have_their_types() {
        let form = kind("M:POST\nB:form BLEN:3@0-15\n").unwrap();
        assert_eq!(TYPES[usize::from(form)], "application/x-www-form-urlencoded");
        assert_eq!(TYPES[usize::from(kind("M:POST\nB:xml BLEN:3@0-15\n").unwrap())], "application/xml");
        assert_eq!(kind("M:GET\n"), None);
        assert_eq!(body(b"POST / HTTP/1.1\r\n\r\na=1"), b"a=1");
    }

    #[test]
    fn mutations_of_a_seed_are_alike() {
        let target = Target::by_name("request").unwrap();
        let inputs = |seed| {
            let mut mutations = Mutations::new(target, seed);
            (0..50).map(|_| mutations.next_input()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
    }
}
