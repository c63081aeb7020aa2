//! One canonicalizer for each view, profile, scheme and source that can be asked for, made when it first is.

use std::sync::OnceLock;

use axum::http::HeaderValue;
use tamiz::{Canonicalizer, Config, Profile, Scheme, Source, View};

/// All of them.
pub(crate) struct Choices {
    base: Config,
    made: Vec<OnceLock<Chosen>>,
}

/// One of them, with what its answers are marked with.
pub(crate) struct Chosen {
    pub(crate) canonicalizer: Canonicalizer,
    pub(crate) fingerprint: HeaderValue,
}

/// The options in a request; those it does not give are the service's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) view: Option<View>,
    pub(crate) profile: Option<Profile>,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) source: Option<Source>,
}

impl Choices {
    pub(crate) fn new(base: Config) -> Self {
        let count = View::ALL.len() * Profile::ALL.len() * Scheme::ALL.len() * Source::ALL.len();
        Choices { base, made: std::iter::repeat_with(OnceLock::new).take(count).collect() }
    }

    /// The view that the service was started with.
    pub(crate) fn view(&self) -> View {
        self.base.view
    }

    pub(crate) fn get(&self, wish: Wish) -> Option<&Chosen> {
        let view = wish.view.unwrap_or(self.base.view);
        let profile = wish.profile.unwrap_or(self.base.profile);
        let scheme = wish.scheme.unwrap_or(self.base.scheme);
        let source = wish.source.unwrap_or(self.base.source);
        let at = rank(View::ALL, view)?;
        let at = at * Profile::ALL.len() + rank(Profile::ALL, profile)?;
        let at = at * Scheme::ALL.len() + rank(Scheme::ALL, scheme)?;
        let at = at * Source::ALL.len() + rank(Source::ALL, source)?;
        Some(self.made.get(at)?.get_or_init(|| {
            let mut config = self.base.clone();
            (config.view, config.profile, config.scheme) = (view, profile, scheme);
            config.source = source;
            Chosen::new(config)
        }))
    }
}

impl Chosen {
    fn new(config: Config) -> Self {
        let canonicalizer = Canonicalizer::new(config);
        // It is made of letters, digits and a hyphen.
        let fingerprint = HeaderValue::from_str(canonicalizer.fingerprint().as_str());
        Chosen { canonicalizer, fingerprint: fingerprint.unwrap_or(HeaderValue::from_static("unknown")) }
    }
}

fn rank<T: PartialEq>(all: &[T], one: T) -> Option<usize> {
    all.iter().position(|other| *other == one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wish_has_its_own() {
        let mut base = Config::default();
        base.profile = Profile::Full;
        let choices = Choices::new(base);
        let mut seen = std::collections::BTreeSet::new();
        for &view in View::ALL {
            for &profile in Profile::ALL {
                for (&scheme, &source) in Scheme::ALL
                    .iter()
                    .flat_map(|scheme| Source::ALL.iter().map(move |source| (scheme, source)))
                {
                    let wish = Wish {
                        view: Some(view),
                        profile: Some(profile),
                        scheme: Some(scheme),
                        source: Some(source),
                    };
                    let chosen = choices.get(wish).unwrap();
                    let config = chosen.canonicalizer.config();
                    assert_eq!((config.view, config.profile, config.scheme), (view, profile, scheme));
                    assert_eq!(config.source, source);
                    assert!(seen.insert(chosen.fingerprint.to_str().unwrap().to_owned()));
                }
            }
        }
        let open = choices.get(Wish::default()).unwrap();
        assert_eq!(open.canonicalizer.config().profile, Profile::Full);
    }
}
