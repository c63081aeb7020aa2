//! The state that all connections share, of any protocol.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use tamiz::{Config, Document, Flag, View};
use tamiz_detector::{Detector, Model, Score};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Deny;
use crate::choices::{Choices, Chosen, Wish};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::settings::Limits;
use crate::sink::Sink;

/// Canonicalizers, limits and counters.
pub(crate) struct App {
    choices: Choices,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) deny: Deny,
    /// Requests with a p-value of this or less are turned away.
    pub(crate) deny_p: Option<f64>,
    /// The detector; replaced as a whole when a model is read again.
    detector: RwLock<Arc<Detector>>,
    /// Who reads all documents of proxies' requests.
    pub(crate) sink: Option<Sink>,
    large: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    #[cfg(feature = "ext-proc")]
    exchanges: Arc<Semaphore>,
    /// Room for answers, in kibibytes.
    answers: Arc<Semaphore>,
    is_stopping: AtomicBool,
}

/// The right to work on something that takes long; given back when it is dropped.
pub(crate) type Slot = OwnedSemaphorePermit;

impl App {
    pub(crate) fn new(config: Config, limits: Limits, deny: Deny) -> Self {
        App {
            choices: Choices::new(config),
            metrics: Metrics::new(),
            deny,
            deny_p: None,
            detector: RwLock::new(Arc::new(Detector::without_model())),
            sink: None,
            large: Arc::new(Semaphore::new(limits.large)),
            streams: Arc::new(Semaphore::new(limits.streams)),
            #[cfg(feature = "ext-proc")]
            exchanges: Arc::new(Semaphore::new(limits.connections)),
            answers: Arc::new(Semaphore::new(kibibytes(limits.answers()))),
            is_stopping: AtomicBool::new(false),
            limits,
        }
    }

    /// Makes what is made once, so that the first who asks does not wait for it.
    pub(crate) fn warm_up(&self) {
        if let Some(chosen) = self.choices.get(Wish::default()) {
            for flag in Flag::ALL {
                chosen.canonicalizer.canonicalize(flag.raises());
            }
        }
    }

    /// The canonicalizer that a question asks for.
    pub(crate) fn chosen(&self, wish: Wish) -> Result<&Chosen, Problem> {
        self.choices.get(wish).ok_or(Problem::Fault)
    }

    /// The identity of what the service does unless it is asked otherwise.
    pub(crate) fn fingerprint(&self) -> &str {
        let chosen = self.choices.get(Wish::default());
        chosen.and_then(|chosen| chosen.fingerprint.to_str().ok()).unwrap_or_default()
    }

    /// The current detector.
    pub(crate) fn detector(&self) -> Arc<Detector> {
        Arc::clone(&self.detector.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads a model, and scores against it from now on. One that cannot be used changes nothing.
    ///
    /// # Errors
    /// When the file cannot be read, is no model, or is of another configuration.
    pub(crate) fn load_model(&self, path: &Path) -> io::Result<()> {
        let unusable = |error: &dyn Display| {
            io::Error::other(format!("cannot use the model {}: {error}", path.display()))
        };
        let bytes = std::fs::read(path).map_err(|error| unusable(&error))?;
        let model = Model::from_bytes(&bytes).map_err(|error| unusable(&error))?;
        if let Some(chosen) = self.choices.get(self.scored(Wish::default())) {
            let fingerprint = chosen.canonicalizer.fingerprint();
            model.check_fingerprint(fingerprint).map_err(|error| unusable(&error))?;
        }
        let requests = model.requests();
        let detector = Arc::new(Detector::new(model));
        if let Some(deny_p) = self.deny_p.filter(|deny_p| *deny_p < detector.least_p_value()) {
            return Err(unusable(&format!(
                "its thresholds come from {} requests, too few for a p-value of {deny_p}",
                detector.calibrated_on()
            )));
        }
        self.metrics.model_requests.set(i64::try_from(requests).unwrap_or(i64::MAX));
        *self.detector.write().unwrap_or_else(PoisonError::into_inner) = detector;
        Ok(())
    }

    /// The wish for documents that can be scored: those of view `literal` show values in clear, and no model knows
    /// them.
    pub(crate) fn scored(&self, wish: Wish) -> Wish {
        match wish.view.unwrap_or(self.choices.view()) {
            View::Literal => Wish { view: Some(View::Shape), ..wish },
            _ => wish,
        }
    }

    /// The score of a document, where there is a model; `None` also for a document that cannot be scored. Scheme and
    /// source may be other than those of the configuration: the proxy says them.
    pub(crate) fn score(&self, document: &Document) -> Option<Score> {
        let detector = self.detector();
        detector.model()?;
        let score = detector.score_any_fingerprint(document).ok()?;
        self.metrics.scored(&score);
        Some(score)
    }

    /// Returns whether there is a model.
    pub(crate) fn has_model(&self) -> bool {
        self.detector().model().is_some()
    }

    /// Returns whether a score is enough to turn a request away.
    pub(crate) fn denies(&self, score: &Score) -> bool {
        let deny_p = self.deny_p.unwrap_or_default();
        score.p_value().is_some_and(|p_value| p_value <= deny_p)
    }

    /// A slot for a large body. Nobody waits for one: what cannot be begun is refused.
    pub(crate) fn large_slot(&self) -> Result<Slot, Problem> {
        Arc::clone(&self.large).try_acquire_owned().map_err(|_| Problem::Overload)
    }

    /// A slot for a large line of a stream, when there is one.
    pub(crate) async fn large_turn(&self) -> Option<Slot> {
        // They are never closed.
        Arc::clone(&self.large).acquire_owned().await.ok()
    }

    /// A slot for a stream.
    pub(crate) fn stream_slot(&self) -> Result<Slot, Problem> {
        Arc::clone(&self.streams).try_acquire_owned().map_err(|_| Problem::Overload)
    }

    /// Room for a large answer. Nobody waits for it: what cannot be held is refused.
    pub(crate) fn answer_room(&self, len: usize) -> Result<Slot, Problem> {
        let answers = Arc::clone(&self.answers);
        answers.try_acquire_many_owned(self.kibibytes_of(len)).map_err(|_| Problem::Overload)
    }

    /// Room for a large answer in a stream, when there is some.
    pub(crate) async fn answer_turn(&self, len: usize) -> Option<Slot> {
        // It is never closed.
        Arc::clone(&self.answers).acquire_many_owned(self.kibibytes_of(len)).await.ok()
    }

    /// How much room an answer takes: all there is, where it is larger than that.
    fn kibibytes_of(&self, len: usize) -> u32 {
        u32::try_from(kibibytes(len.min(self.limits.answers()))).unwrap_or(u32::MAX)
    }

    /// A slot for a request that Envoy's external processing asks about: a connection has many at a time.
    #[cfg(feature = "ext-proc")]
    pub(crate) fn exchange_slot(&self) -> Result<Slot, Problem> {
        Arc::clone(&self.exchanges).try_acquire_owned().map_err(|_| Problem::Overload)
    }

    /// Returns whether the service was told to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }
}

/// So many bytes in kibibytes, the last one begun, at least one, and no more than can be asked for at once.
fn kibibytes(bytes: usize) -> usize {
    bytes.div_ceil(1024).clamp(1, u32::MAX as usize)
}
