//! `tamiz canon`: requests, or documents, to documents.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tamiz::{Canonicalizer, Document, Scratch, TokenOptions};
use tamiz_containers::Container;

use crate::args::{CanonArgs, DocumentFormat, From};
use crate::documents;
use crate::failure::{Failure, complain};
use crate::input::Source;
use crate::{config, output, tokens};

/// Runs the command. An input that cannot be read does not stop the others.
pub(crate) fn run(args: &CanonArgs) -> Result<ExitCode, Failure> {
    check(args)?;
    let sources = Source::all(&args.files)?;
    let canonicalizer = config::canonicalizer_for(&args.read, args.as_seen_by)?;
    let options = tokens::options(args.token_lengths, args.format == DocumentFormat::Tokens)?;
    let mut writer = Writer { out: output::raw(), format: args.format, options, printed: false };
    let mut scratch = Scratch::default();
    let mut code = ExitCode::SUCCESS;
    for source in &sources {
        if *source == Source::Stdin && std::io::stdin().is_terminal() {
            complain("waiting for a request on standard input; end it with Ctrl-D, or name a file");
        }
        let done = source.read().and_then(|input| match args.from {
            From::Http if Container::is_one(&input) => Err(Failure::Input(format!(
                "{source} holds requests, but is none: use 'tamiz batch', which reads captures, JSON lines, archives and \
                 compressed files"
            ))),
            From::Document => {
                documents::parse(source, &input)?.iter().try_for_each(|document| writer.document(document))
            }
            From::Http if args.evidence => writer.document(&canonicalizer.canonicalize_with_evidence(&input)),
            From::Http if args.as_seen_by.is_some() => {
                let document = tamiz_sources::document(&canonicalizer, &input).map_err(|refusal| {
                    Failure::Input(format!(
                        "{source}: {} refuses it: {refusal}",
                        canonicalizer.config().source
                    ))
                })?;
                writer.document(&document)
            }
            From::Http => writer.request(&canonicalizer, &mut scratch, &input),
        });
        match done {
            Ok(()) => {}
            Err(failure @ Failure::Input(_)) => {
                // What was printed comes before what is said about the next input.
                writer.out.flush()?;
                code = failure.report();
            }
            Err(failure) => return Err(failure),
        }
    }
    writer.out.flush()?;
    Ok(code)
}

/// Refuses options that would have no effect.
fn check(args: &CanonArgs) -> Result<(), Failure> {
    let usage = |message: &str| Err(Failure::Usage(message.to_owned()));
    let reads = &args.read;
    let reads_given =
        reads.view.is_some() || reads.profile.is_some() || reads.scheme.is_some() || reads.config.is_some();
    match args.from {
        From::Document if args.evidence => {
            usage("a document has no evidence: leave out '--evidence', or give the request")
        }
        From::Document if reads_given || args.as_seen_by.is_some() => usage(
            "a document is printed as it is: leave out '--view', '--profile', '--scheme', '--config' and \
             '--as-seen-by', or give the request",
        ),
        From::Http if args.evidence && args.as_seen_by.is_some() => {
            usage("evidence is of the bytes that were sent: leave out '--evidence', or '--as-seen-by'")
        }
        From::Http if args.evidence && args.format != DocumentFormat::Json => {
            usage("only JSON can carry evidence: add '--format json', or use 'tamiz explain'")
        }
        _ => Ok(()),
    }
}

struct Writer<W> {
    out: W,
    format: DocumentFormat,
    options: TokenOptions,
    printed: bool,
}

impl<W: Write> Writer<W> {
    fn request(
        &mut self,
        canonicalizer: &Canonicalizer,
        scratch: &mut Scratch,
        request: &[u8],
    ) -> Result<(), Failure> {
        match self.format {
            DocumentFormat::Json | DocumentFormat::Tokens => {
                self.document(&canonicalizer.canonicalize(request))
            }
            DocumentFormat::Text => {
                let mut text = Vec::new();
                canonicalizer.canonicalize_into(scratch, request, &mut text);
                self.text(&text)
            }
        }
    }

    fn document(&mut self, document: &Document) -> Result<(), Failure> {
        match self.format {
            DocumentFormat::Text => self.text(document.as_str().as_bytes()),
            DocumentFormat::Json => {
                serde_json::to_writer(&mut self.out, document).map_err(std::io::Error::from)?;
                Ok(self.out.write_all(b"\n")?)
            }
            DocumentFormat::Tokens => {
                Ok(writeln!(self.out, "{}", document.tokens_with(self.options).join(" "))?)
            }
        }
    }

    fn text(&mut self, text: &[u8]) -> Result<(), Failure> {
        if std::mem::replace(&mut self.printed, true) {
            self.out.write_all(b"\n")?;
        }
        Ok(self.out.write_all(text)?)
    }
}
