//! What every stage is handed: where to put text, the settings, and whether to keep evidence.

use bumpalo::Bump;

use crate::flags::Flags;
use crate::memo::Memos;
use crate::settings::Settings;

/// Cheap to copy; lives as long as one canonicalisation.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) bump: &'a Bump,
    pub(crate) settings: &'a Settings,
    pub(crate) traced: bool,
    /// Fields that came before; `None` where every one is to be read.
    pub(crate) memo: Option<&'a Memos>,
}

impl<'a> Context<'a> {
    /// An empty set of flags for one place.
    pub(crate) fn flags(self) -> Flags<'a> {
        Flags::new(self.bump, self.traced)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::Config;

    /// Runs `test` with a traced context of the default configuration.
    pub(crate) fn with_context<T>(test: impl FnOnce(Context<'_>) -> T) -> T {
        let bump = Bump::new();
        let settings = Settings::new(Config::default());
        test(Context { bump: &bump, settings: &settings, traced: true, memo: None })
    }
}
