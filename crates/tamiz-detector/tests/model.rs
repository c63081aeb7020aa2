//! The model as a file, merged, in any order, bounded, poisoned and read back damaged.

use proptest::prelude::*;
use tamiz::{Canonicalizer, Config, Document, View};
use tamiz_detector::{Bounds, Detector, Error, Model};

fn tamiz() -> Canonicalizer {
    Canonicalizer::new(Config::default())
}

/// Requests of a small shop; the same number gives the same request.
fn request(n: u64) -> Vec<u8> {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let names = ["ana", "Luis", "O Neill", "maria-jose", "x9"];
    let name = names[(n % 5) as usize];
    match n % 3 {
        0 => format!("GET /shop/item?id={} HTTP/1.1\r\nHost: ex.com\r\n\r\n", n % 1000).into_bytes(),
        1 => format!(
            "GET /shop/find?q={}&page={} HTTP/1.1\r\nHost: ex.com\r\n\r\n",
            name.replace(' ', "+"),
            n % 9
        )
        .into_bytes(),
        _ => {
            let body = format!("name={}&age={}", name.replace(' ', "+"), n % 90);
            format!(
                "POST /shop/user HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .into_bytes()
        }
    }
}

fn learned(numbers: impl IntoIterator<Item = u64>, bounds: Bounds) -> Model {
    let tamiz = tamiz();
    let mut model = Model::with_bounds(tamiz.fingerprint(), bounds).unwrap();
    for n in numbers {
        model.learn(&tamiz.canonicalize(&request(n))).unwrap();
    }
    model
}

const ATTACK: &[u8] = b"GET /shop/item?id=7%27%20or%20sleep(9)-- HTTP/1.1\r\nHost: ex.com\r\n\r\n";

#[test]
fn attacks_score_above_what_was_learned() {
    let detector = Detector::new(learned(0..3000, Bounds::default()));
    let tamiz = tamiz();
    let attack = detector.explain(&tamiz.canonicalize(ATTACK)).unwrap();
    let usual = detector.score(&tamiz.canonicalize(&request(77_777))).unwrap();
    let (reasons, attack) = (attack.reasons(), attack.score());
    assert!(attack.value() > detector.threshold(0.001).score && attack.p_value().unwrap() < 0.01);
    assert!(usual.value() <= detector.threshold(0.05).score && usual.p_value().unwrap() > 0.05);
    let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    assert!((1..=5).contains(&reasons.len()));
    assert!(reasons.iter().any(|reason| reason.contains("`id`")), "{reasons:?}");
}

#[test]
fn without_a_model_the_prior_scores() {
    let detector = Detector::without_model();
    let tamiz = tamiz();
    let attack = detector.score(&tamiz.canonicalize(ATTACK)).unwrap();
    let usual = detector.score(&tamiz.canonicalize(&request(3))).unwrap();
    assert!(attack.value() > usual.value() && attack.p_value().is_none());
}

#[test]
fn a_few_attacks_among_the_learned_do_not_hide_the_others() {
    let tamiz = tamiz();
    let mut model = learned(0..3000, Bounds::default());
    for n in 0..15 {
        let attack = format!("GET /shop/item?id={n}%27%20or%201=1-- HTTP/1.1\r\nHost: ex.com\r\n\r\n");
        model.learn(&tamiz.canonicalize(attack.as_bytes())).unwrap();
    }
    let score = Detector::new(model).score(&tamiz.canonicalize(ATTACK)).unwrap();
    assert!(score.p_value().unwrap() <= 0.01, "{:?}", score.p_value());
}

#[test]
fn a_false_alarm_that_is_accepted_is_none_any_more() {
    let tamiz = tamiz();
    let document = tamiz.canonicalize(b"GET /shop/item?id=AB-7 HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    let mut model = learned(0..3000, Bounds::default());
    let before = Detector::new(model.clone()).score(&document).unwrap();
    model.accept(&document).unwrap();
    let after = Detector::new(model).score(&document).unwrap();
    assert!(after.value() < before.value() && after.p_value().unwrap() > 0.01);
}

#[test]
fn files_say_what_is_wrong_with_them() {
    let bytes = learned(0..200, Bounds::default()).to_bytes();
    assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    assert_eq!(Model::from_bytes(b"hello").unwrap_err(), Error::NotAModel);
    assert_eq!(Model::from_bytes(b"").unwrap_err(), Error::NotAModel);
    let mut other = bytes.clone();
    other[8] = 9;
    assert_eq!(Model::from_bytes(&other).unwrap_err(), Error::Version(9));
    for end in (9..bytes.len()).step_by(7) {
        assert_eq!(Model::from_bytes(&bytes[..end]).unwrap_err(), Error::Damaged, "{end}");
    }
    for at in (9..bytes.len()).step_by(5) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert_eq!(Model::from_bytes(&changed).unwrap_err(), Error::Damaged, "{at}");
    }
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let mut config = Config::default();
    config.view = View::Literal;
    let literal = Canonicalizer::new(config);
    assert_eq!(Model::new(literal.fingerprint()).unwrap_err(), Error::Literal);
    let mut model = learned(0..10, Bounds::default());
    let fresh = tamiz().canonicalize(ATTACK);
    let read_back = Document::parse(fresh.as_str()).unwrap();
    assert_eq!(model.learn(&read_back).unwrap_err(), Error::ReadBack);
    let error = model.learn(&literal.canonicalize(ATTACK)).unwrap_err();
    let Error::Fingerprint { model: own, other } = &error else { panic!("{error}") };
    assert!(error.to_string().contains(own) && error.to_string().contains(other));
    assert_eq!(model.requests(), 10);
}

#[test]
fn memory_is_bounded_and_what_is_let_go_is_counted() {
    let mut bounds = Bounds::default();
    (bounds.endpoints, bounds.endpoint_tokens, bounds.tokens, bounds.sample) = (4, 16, 64, 8);
    let tamiz = tamiz();
    let mut model = Model::with_bounds(tamiz.fingerprint(), bounds).unwrap();
    for n in 0..500 {
        let request = format!("GET /p{n}?k{n}=1&j{}=2 HTTP/1.1\r\n\r\n", n % 7);
        model.learn(&tamiz.canonicalize(request.as_bytes())).unwrap();
    }
    assert!(model.endpoints().count() <= 4 && model.tokens() <= 64);
    let (tokens, requests) = model.let_go();
    assert!(tokens > 0 && requests > 0 && model.requests() == 500);
    assert!(model.to_bytes().len() < 20_000);
    let score = Detector::new(model).score(&tamiz.canonicalize(ATTACK)).unwrap();
    assert!(score.value().is_finite());
}

#[test]
fn older_requests_fade() {
    let mut model = learned(0..1000, Bounds::default());
    model.decay(50);
    assert_eq!(model.requests(), 500);
    model.decay(0);
    assert_eq!((model.requests(), model.endpoints().count(), model.tokens()), (0, 0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(7), cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_and_parts_do_not_matter(
        numbers in proptest::collection::vec(0_u64..400, 1..120),
        cut in 0_usize..120,
        small in any::<bool>(),
    ) {
        let mut bounds = Bounds::default();
        if small {
            (bounds.endpoints, bounds.endpoint_tokens, bounds.tokens, bounds.sample) = (2, 20, 40, 3);
        }
        let whole = learned(numbers.clone(), bounds).to_bytes();
        let backwards = learned(numbers.iter().rev().copied(), bounds).to_bytes();
        prop_assert_eq!(&whole, &backwards);
        let (a, b) = numbers.split_at(cut.min(numbers.len()));
        let mut merged = learned(b.to_vec(), bounds);
        merged.merge(&learned(a.to_vec(), bounds)).unwrap();
        prop_assert_eq!(&whole, &merged.to_bytes());
        let read = Model::from_bytes(&whole).unwrap();
        prop_assert_eq!(&whole, &read.to_bytes());
        let (one, two) = (Detector::new(read), Detector::new(merged));
        let document = tamiz().canonicalize(ATTACK);
        let (one, two) = (one.explain(&document).unwrap(), two.explain(&document).unwrap());
        prop_assert_eq!(one.score().value().to_bits(), two.score().value().to_bits());
        prop_assert_eq!(one.reasons(), two.reasons());
    }

    #[test]
    fn scores_are_finite_for_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let detector = Detector::without_model();
        let score = detector.score(&tamiz().canonicalize(&bytes)).unwrap();
        prop_assert!(score.value().is_finite() && score.value() >= 0.0);
    }

    #[test]
    fn any_bytes_behind_a_good_head_are_no_model(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut file = b"tamizmdl\x01".to_vec();
        file.extend_from_slice(&bytes);
        prop_assert!(Model::from_bytes(&file).is_err());
    }
}

/// How unusual a request is after `learned` were learned.
fn novelty_and_flags(learned: &[String], request: &str) -> (f64, f64) {
    let tamiz = tamiz();
    let mut model = Model::new(tamiz.fingerprint()).unwrap();
    for request in learned {
        model.learn(&tamiz.canonicalize(request.as_bytes())).unwrap();
    }
    let score = Detector::new(model).score(&tamiz.canonicalize(request.as_bytes())).unwrap();
    (score.novelty(), score.flags())
}

fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: ex.com\r\n\r\n")
}

#[test]
fn the_rarest_of_equally_usual_endpoints_is_no_news() {
    // Forty endpoints with 50 to 89 requests each.
    let name = |n: usize| {
        ["a", "b", "c", "d", "e", "f", "g", "h"].map(|letter| letter.repeat(1 + n / 8))[n % 8].clone()
    };
    let requests: Vec<String> = (0..40).flat_map(|n| vec![get(&format!("/{}", name(n))); 50 + n]).collect();
    let (rarest, _) = novelty_and_flags(&requests, &get(&format!("/{}", name(0))));
    let (usual, _) = novelty_and_flags(&requests, &get(&format!("/{}", name(39))));
    assert!((rarest - usual).abs() < 0.5, "{rarest} {usual}");
    let (new, _) = novelty_and_flags(&requests, &get("/elsewhere"));
    assert!(new > 4.0, "{new}");
}

#[test]
fn a_flag_weighs_by_what_its_very_place_raises() {
    // Half of all requests raise QUOTE, all of them in `name`.
    let requests: Vec<String> = (0..200)
        .map(|n| {
            get(&format!("/find?name={}&page={}", if n % 2 == 0 { "O%27Neill" } else { "Neill" }, n % 9))
        })
        .collect();
    let (_, usual) = novelty_and_flags(&requests, &get("/find?name=D%27Arcy&page=3"));
    let (_, new) = novelty_and_flags(&requests, &get("/find?name=Arcy&page=3%27"));
    assert!(usual < 1.0 && new > usual + 4.0, "{usual} {new}");
}
