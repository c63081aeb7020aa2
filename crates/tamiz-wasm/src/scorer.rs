//! How unusual a request is, and why: against a model that the page was given, or by flags alone.

use tamiz::{Canonicalizer, Config, Profile, Scheme, View};
use tamiz_detector::{Detector, Error, Model};
use wasm_bindgen::prelude::*;

/// Scores requests.
#[wasm_bindgen]
pub struct Scorer {
    canonicalizer: Canonicalizer,
    detector: Detector,
}

#[wasm_bindgen]
impl Scorer {
    /// Makes a scorer from the bytes of a model, or without one: then flags alone score.
    ///
    /// # Errors
    /// When the bytes are no model, or are one of a configuration with more than a profile and a scheme.
    #[wasm_bindgen(constructor)]
    pub fn new(model: Option<Vec<u8>>) -> Result<Scorer, JsError> {
        let Some(bytes) = model else {
            let canonicalizer = Canonicalizer::new(Config::default());
            return Ok(Scorer { canonicalizer, detector: Detector::without_model() });
        };
        let fitting = Model::from_bytes(&bytes).and_then(|model| Ok((fitting(&model)?, model)));
        let (canonicalizer, model) = fitting.map_err(|error| JsError::new(&error.to_string()))?;
        Ok(Scorer { canonicalizer, detector: Detector::new(model) })
    }

    /// Returns a request's score as a JSON object, as `tamiz score --format jsonl` tells it: with the bytes behind each reason.
    ///
    /// # Errors
    /// Never: a fresh document of the model's own configuration can be scored.
    pub fn score(&self, request: &[u8]) -> Result<String, JsError> {
        let score = self.detector.explain(&self.canonicalizer.canonicalize(request));
        let mut score = score.map_err(|error| JsError::new(&error.to_string()))?;
        score.locate(request, &self.canonicalizer.canonicalize_with_evidence(request));
        Ok(serde_json::to_string(&score).unwrap_or_default())
    }

    /// Returns how many requests the model has learned; `undefined` without a model.
    #[wasm_bindgen(getter)]
    pub fn requests(&self) -> Option<f64> {
        self.detector.model().map(|model| model.requests() as f64)
    }
}

/// Returns a canonicalizer of the model's configuration. The model has its fingerprint alone, so that each profile and scheme
/// is tried.
fn fitting(model: &Model) -> Result<Canonicalizer, Error> {
    let mut refused = Error::NotAModel;
    // The first is the one that is named where none fits.
    for &profile in [Profile::Standard].iter().chain(Profile::ALL) {
        for &scheme in Scheme::ALL {
            let mut config = Config::default();
            (config.view, config.profile, config.scheme) = (View::Shape, profile, scheme);
            let canonicalizer = Canonicalizer::new(config);
            match model.check_fingerprint(canonicalizer.fingerprint()) {
                Ok(()) => return Ok(canonicalizer),
                Err(error) if refused == Error::NotAModel => refused = error,
                Err(_) => {}
            }
        }
    }
    Err(refused)
}
