//! The configuration: the file, then what the command line says.

use std::fs;

use tamiz::{Canonicalizer, Config, Source};

use crate::args::ReadOptions;
use crate::failure::{Failure, reason};

/// The canonicalizer that the options ask for.
pub(crate) fn canonicalizer(options: &ReadOptions) -> Result<Canonicalizer, Failure> {
    effective(options).map(Canonicalizer::new)
}

/// Makes a canonicalizer for requests as a source sees them.
pub(crate) fn canonicalizer_for(
    options: &ReadOptions,
    source: Option<Source>,
) -> Result<Canonicalizer, Failure> {
    let mut config = effective(options)?;
    config.source = source.unwrap_or(config.source);
    Ok(Canonicalizer::new(config))
}

/// The configuration that the options ask for.
pub(crate) fn effective(options: &ReadOptions) -> Result<Config, Failure> {
    let mut config = from_file(options)?;
    config.view = options.view.unwrap_or(config.view);
    config.profile = options.profile.unwrap_or(config.profile);
    config.scheme = options.scheme.unwrap_or(config.scheme);
    Ok(config)
}

fn from_file(options: &ReadOptions) -> Result<Config, Failure> {
    let Some(path) = &options.config else {
        return Ok(Config::default());
    };
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        let reason = if path.is_dir() { "it is a directory".to_owned() } else { reason(&error) };
        Failure::Usage(format!(
            "cannot read the configuration {name}: {reason}; '--config' takes a TOML file"
        ))
    })?;
    Config::from_toml(&text).map_err(|error| Failure::Usage(format!("bad configuration {name}: {error}")))
}
