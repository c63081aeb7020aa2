//! No secret is in the file of a model, in reasons or in errors.

use tamiz::{Canonicalizer, Config};
use tamiz_detector::{Detector, Model};

const CANARIES: [&str; 4] =
    ["hunter2Canary", "eyJhbGciOiJIUzI1NiJ9canary", "4111111111111111", "canary@mail.example"];

#[test]
fn secrets_are_in_nothing_that_comes_out() {
    let tamiz = Canonicalizer::new(Config::default());
    let [password, token, card, mail] = CANARIES;
    let body = format!("password={password}&card={card}&mail={mail}");
    let request = format!(
        "POST /login?token={token} HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer {token}\r\nCookie: session={password}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let document = tamiz.canonicalize(request.as_bytes());
    let mut model = Model::new(tamiz.fingerprint()).unwrap();
    for n in 0..50 {
        let usual = format!("GET /a?n={n} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
        model.learn(&tamiz.canonicalize(usual.as_bytes())).unwrap();
    }
    let before = Detector::new(model.clone());
    model.learn(&document).unwrap();
    let file = String::from_utf8_lossy(&model.to_bytes()).into_owned();
    let mut shown = vec![file, format!("{model:?}")];
    for detector in [before, Detector::new(model), Detector::without_model()] {
        let score = detector.explain(&document).unwrap();
        shown.extend(score.reasons().iter().map(|reason| format!("{reason} {reason:?} {}", reason.token())));
    }
    for canary in CANARIES {
        assert!(shown.iter().all(|text| !text.contains(canary)), "{canary}");
    }
}
