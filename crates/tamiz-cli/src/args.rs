//! The command line.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use tamiz::{
    Canonicalizer, Config, FORM_VERSION, Family, Profile, Scheme, Source, UnknownWord, View, Weight,
};
use tamiz_containers::{Format as Container, Mapping, Options};

use crate::batch::{BatchFormat, Client, Separator};
use crate::detect::args::{LearnArgs, ModelArgs, ScoreArgs};
use crate::limits;
use crate::serve::ServeArgs;

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let default = Canonicalizer::new(Config::default());
    format!("{} (form {FORM_VERSION}, fingerprint {})", env!("CARGO_PKG_VERSION"), default.fingerprint())
});

/// Canonical HTTP requests.
///
/// Turns an HTTP request into the one text that says what it is: the same request gives the same text,
/// another spelling gives the same text apart from the flags that record the spelling, and no recognised
/// secret is left in it.
#[derive(Debug, Parser)]
#[command(name = "tamiz", bin_name = "tamiz", version = VERSION.as_str(), arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  tamiz canon request.http            the document of a request
  tamiz canon --format json *.http    many requests, a JSON object each
  tamiz canon --format tokens *.http  many requests, a line of tokens each
  tamiz explain request.http          its flags, and where they come from
  tamiz batch a.pcap -o a.parquet     every request of a capture, as columns
  tamiz report a.pcap -o a.html       a summary of a capture, as a page
  tamiz diff old.jsonl new.jsonl      what changed between two sets of requests
  tamiz learn a.har -o site.model     a model of a site's usual requests
  tamiz score --model site.model b.har
                                      unusual requests, with reasons
  tamiz flags DOTDOT                  what a flag means
  tamiz serve                         the HTTP service, and its page

Exit codes:
  0  done
  1  an input cannot be read or parsed, or an output cannot be written
  2  wrong usage
  3  done, but some records of many could not be read
  4  'diff --exit-code' found a difference")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Canon(CanonArgs),
    Batch(BatchArgs),
    Report(ReportArgs),
    Diff(DiffArgs),
    Learn(LearnArgs),
    Score(ScoreArgs),
    Model(ModelArgs),
    Explain(ExplainArgs),
    Serve(ServeArgs),
    Flags(FlagsArgs),
    Fingerprint(FingerprintArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// How requests are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadOptions {
    /// How values are shown: by shape and length, or decoded and in clear (not anonymous; secrets are
    /// redacted all the same) [default: shape, or what --config says]
    #[arg(long, value_parser = word(View::ALL, View::as_str))]
    pub(crate) view: Option<View>,

    /// Which lines and flags are on [default: standard, or what --config says]
    #[arg(long, value_parser = word(Profile::ALL, Profile::as_str))]
    pub(crate) profile: Option<Profile>,

    /// The scheme of targets that name none [default: http, or what --config says]
    #[arg(long, value_parser = word(Scheme::ALL, Scheme::as_str))]
    pub(crate) scheme: Option<Scheme>,

    /// A tamiz.toml with all settings; --view, --profile and --scheme override what it says
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Print the document of each request
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz canon request.http
  tamiz canon --view literal --profile full request.http
  tamiz canon --format json --evidence a.http b.http
  tamiz canon --format tokens a.http b.http
  tamiz canon a.http b.http | tamiz canon --from document --format json")]
pub(crate) struct CanonArgs {
    /// Files of one request each; standard input when there are none, or for '-'
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) read: ReadOptions,

    /// How documents are printed: text with a blank line between them, or on one line each as a JSON object
    /// or as tokens with a space between them
    #[arg(long, value_enum, default_value_t = DocumentFormat::Text)]
    pub(crate) format: DocumentFormat,

    /// Add a token with the exact length of each value, as q.id=num#3; needs --format tokens
    #[arg(long)]
    pub(crate) token_lengths: bool,

    /// Change the request as this proxy or log does before it passes it on. A request that it would refuse
    /// is reported on standard error, and has no document
    #[arg(long, value_name = "SOURCE", value_parser = word(tamiz_sources::KNOWN, Source::as_str))]
    pub(crate) as_seen_by: Option<Source>,

    /// Give the byte ranges of the request behind each flag; needs --format json
    #[arg(long)]
    pub(crate) evidence: bool,

    /// Kind of the input: one HTTP request, or documents with a blank line between them. It is never
    /// guessed
    #[arg(long, value_enum, value_name = "INPUT", default_value_t = From::Http)]
    pub(crate) from: From,
}

/// Write the documents of all requests in files of many formats
///
/// Containers are files of one request, folders of files, concatenated requests, JSON, CSV, Parquet, HAR,
/// Burp, ZAP and mitmproxy exports, packet captures, web archives, logs of all kinds, Postman collections,
/// .http files and commands of curl; also compressed, and in ZIP and tar archives. The format is detected
/// from the content. A record that cannot be read is reported on standard error and does not stop the run.
/// The output appears when it is complete; until then everything is in OUT.partial.
#[derive(Debug, Args)]
#[command(after_help = limits::of_batch("\
Examples:
  tamiz batch requests.jsonl.gz -o documents.txt
  tamiz batch captures/ archive.har -o documents.parquet --errors errors.jsonl
  tamiz batch access.log --format tokens --separator nul -o access.tokens
  zcat huge.jsonl.gz | tamiz batch -o sample.jsonl --sample 10000 --seed 7
  tamiz batch huge.jsonl -o huge.parquet --resume

Exit codes:
  0  everything was read
  1  the output could not be made
  2  wrong usage
  3  the output is made, but some records could not be read"))]
pub(crate) struct BatchArgs {
    /// Files, folders of files, or '-' for standard input, which is also read when there are none
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The file to write; '-' is standard output, for text, JSON lines and tokens
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// Output format; by default from the name of OUT: .txt, .jsonl, .tokens, .parquet, .arrow. 'requests'
    /// are the requests themselves, with their secrets, as Parquet
    #[arg(long, value_enum)]
    pub(crate) format: Option<BatchFormat>,

    /// Add a token with the exact length of each value, as q.id=num#3; needs --format tokens
    #[arg(long)]
    pub(crate) token_lengths: bool,

    /// Separator between text documents (a blank line by default) or token lines (a line end by default)
    #[arg(long, value_enum)]
    pub(crate) separator: Option<Separator>,

    /// Change each request as this proxy or log does before it passes it on. Those that it would refuse are
    /// counted, and have no document; inputs without the bytes of requests cannot be read
    #[arg(long, value_name = "SOURCE", value_parser = word(tamiz_sources::KNOWN, Source::as_str))]
    pub(crate) as_seen_by: Option<Source>,

    /// Stop after so many requests
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,

    /// Write a uniform sample of so many requests; it is held in memory
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(crate) sample: Option<usize>,

    /// Seed of the sample: the same number draws the same sample
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sample")]
    pub(crate) seed: u64,

    /// Write each document once for each label; JSON lines and columns have the count
    #[arg(long)]
    pub(crate) dedup: bool,

    /// Client of each request in JSON lines and columns, where the input has it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) client: Client,

    /// Write a folder, OUT, of files of at most about this many bytes each, such as 256M; for columns and
    /// requests
    #[arg(long, value_name = "BYTES", value_parser = bytes, conflicts_with = "dedup")]
    pub(crate) split: Option<u64>,

    /// Report every record that cannot be read in this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) errors: Option<PathBuf>,

    /// Continue a run that was stopped; inputs and options have to be the same
    #[arg(long)]
    pub(crate) resume: bool,

    /// Replace an existing output, and the rest of a run that was stopped
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,

    /// Records between two checkpoints, from which '--resume' can continue
    #[arg(long, value_name = "N", default_value_t = 200_000, hide_short_help = true)]
    pub(crate) checkpoint: u64,

    /// Do not print a summary at the end
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) containers: ContainerOptions,

    #[command(flatten)]
    pub(crate) read: ReadOptions,
}

/// How containers are read.
#[derive(Debug, Args)]
pub(crate) struct ContainerOptions {
    /// Format of the inputs, where it cannot be detected
    #[arg(long, value_name = "FORMAT", value_parser = container())]
    pub(crate) from: Option<Container>,

    /// Fields of JSON that hold the parts of a request: 'method=verb,url=request_uri,header.user-agent=ua',
    /// or a TOML file of such mappings
    #[arg(long, value_name = "MAP", value_parser = mapping)]
    pub(crate) map: Option<Mapping>,

    /// Number of worker threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Maximum size of a record; a longer one cannot be read
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, hide_short_help = true)]
    pub(crate) record_limit: usize,
}

impl ContainerOptions {
    /// How many threads work.
    pub(crate) fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(all, usize::from)
    }

    /// The container options that these arguments mean.
    pub(crate) fn options(&self) -> Options {
        let mut options = Options::default();
        options.format = self.from;
        options.record_limit = self.record_limit;
        options.mapping = self.map.clone().unwrap_or_default().into();
        options
    }
}

/// A number of bytes, of kibi-, mebi- or gibibytes with `K`, `M` or `G` behind it.
fn bytes(text: &str) -> Result<u64, String> {
    let unit = [("K", 10), ("M", 20), ("G", 30)]
        .into_iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    let number = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    number
        .filter(|number| *number > 0)
        .ok_or_else(|| "a number of bytes is expected, as 268435456 or 256M".to_owned())
}

/// A mapping, in place or in a file, whose name ends in `.toml`.
fn mapping(text: &str) -> Result<Mapping, String> {
    let mapping = if text.ends_with(".toml") {
        let file = std::fs::read_to_string(text).map_err(|error| crate::failure::reason(&error))?;
        Mapping::from_toml(&file)
    } else {
        Mapping::parse(text)
    };
    mapping.map_err(|error| error.to_string())
}

/// Summarise requests as a page or a table
///
/// Reads what 'batch' reads, and counts: labels, flags and how they differ between labels, values by key,
/// path templates, lengths, flags over time, secrets that were redacted and records that could not be read.
/// Without -o it prints tables; with -o it writes one self-contained HTML page. The same input gives the
/// same page.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz report requests.jsonl.gz
  tamiz report valid.jsonl attack.jsonl -o report.html --title 'Shop, October'
  tamiz report access.log captures/ -o report.html --errors errors.jsonl
  tamiz report requests.jsonl -o report.html --baseline normal
  tamiz report today.jsonl.gz -o report.html --model site.model

Exit codes:
  0  everything was read
  1  the report could not be made
  2  wrong usage
  3  the report is made, but some records could not be read")]
pub(crate) struct ReportArgs {
    /// Files, folders of files, or '-' for standard input, which is also read when there are none
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The page to write; '-' is standard output. Without it, a table is printed
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,

    /// The heading of the page
    #[arg(long, value_name = "TEXT", requires = "out")]
    pub(crate) title: Option<String>,

    /// The label that others are compared with; by default 'valid', 'normal', 'benign' and the like, else
    /// the most frequent
    #[arg(long, value_name = "LABEL")]
    pub(crate) baseline: Option<String>,

    /// A model of 'tamiz learn': also show scores over time, what is new at which endpoint, and the highest
    /// scores with their reasons
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,

    /// Stop after so many requests
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,

    /// Report every record that cannot be read in this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) errors: Option<PathBuf>,

    /// Replace an existing output
    #[arg(long)]
    pub(crate) force: bool,

    /// Do not print a summary at the end
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) containers: ContainerOptions,

    #[command(flatten)]
    pub(crate) read: ReadOptions,

    #[command(flatten)]
    pub(crate) color: ColorOption,
}

/// Compare two sets of requests, or two configurations on one set
///
/// With A and B, compares the labels, flags and path templates of the two. With A alone and an option
/// '--with-...', reads A twice, the second time with that option, and compares document by document. Use it
/// before retraining a model.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz diff october.jsonl november.jsonl
  tamiz diff requests.jsonl --with-profile full
  tamiz diff requests.jsonl --config old.toml --with-config new.toml --format json
  tamiz diff a.har b.har --exit-code

Exit codes:
  0  done
  1  an input cannot be read
  2  wrong usage
  3  done, but some records could not be read
  4  with --exit-code, everything was read and something differs")]
pub(crate) struct DiffArgs {
    /// A file or folder, or '-' for standard input
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,

    /// A second one to compare with; not needed with an option '--with-...'
    #[arg(value_name = "B")]
    pub(crate) b: Option<PathBuf>,

    /// Read B, or A the second time, with this view [default: as A]
    #[arg(long, value_name = "VIEW", value_parser = word(View::ALL, View::as_str))]
    pub(crate) with_view: Option<View>,

    /// Read B, or A the second time, with this profile [default: as A]
    #[arg(long, value_name = "PROFILE", value_parser = word(Profile::ALL, Profile::as_str))]
    pub(crate) with_profile: Option<Profile>,

    /// Read B, or A the second time, with this scheme of targets that name none [default: as A]
    #[arg(long, value_name = "SCHEME", value_parser = word(Scheme::ALL, Scheme::as_str))]
    pub(crate) with_scheme: Option<Scheme>,

    /// Read B, or A the second time, with this tamiz.toml [default: as A]
    #[arg(long, value_name = "FILE")]
    pub(crate) with_config: Option<PathBuf>,

    /// Maximum number of rows of each kind in the tables
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    /// Tables, or one JSON object with all rows
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// Exit with 4 if something differs
    #[arg(long)]
    pub(crate) exit_code: bool,

    #[command(flatten)]
    pub(crate) containers: ContainerOptions,

    #[command(flatten)]
    pub(crate) read: ReadOptions,

    #[command(flatten)]
    pub(crate) color: ColorOption,
}

/// Show where in a request each flag comes from, and what it means
///
/// The request is echoed line by line with the evidence of each flag underlined. Secrets are masked, and
/// whatever could drive a terminal is escaped. Of a body that is hidden as a whole only the length is
/// shown, of a long one the first lines and those with evidence.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz explain request.http
  tamiz explain --model site.model request.http
  tamiz explain --profile full --color always request.http | less -R")]
pub(crate) struct ExplainArgs {
    /// A file of one request; standard input when there is none, or for '-'
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) file: PathBuf,

    /// Also score the request against this model of 'tamiz learn', with reasons
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) read: ReadOptions,

    #[command(flatten)]
    pub(crate) color: ColorOption,
}

/// List the flags, or describe one
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz flags
  tamiz flags --family encoding --weight evasion
  tamiz flags --source nginx
  tamiz flags DOUBLEPCT")]
pub(crate) struct FlagsArgs {
    /// The flag, in upper or lower case: DOTDOT, KW, KW:sql
    #[arg(conflicts_with_all = ["family", "weight", "profile", "source"])]
    pub(crate) name: Option<String>,

    /// Only flags of this family
    #[arg(long, value_parser = word(Family::ALL, Family::as_str))]
    pub(crate) family: Option<Family>,

    /// Only flags of this weight
    #[arg(long, value_parser = word(Weight::ALL, Weight::as_str))]
    pub(crate) weight: Option<Weight>,

    /// Only flags that are on in this profile
    #[arg(long, value_parser = word(Profile::ALL, Profile::as_str))]
    pub(crate) profile: Option<Profile>,

    /// Only flags that documents from this proxy or log never have
    #[arg(long, value_parser = word(tamiz_sources::KNOWN, Source::as_str))]
    pub(crate) source: Option<Source>,

    /// A table or card for people, or one JSON object per line
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) color: ColorOption,
}

/// Print the fingerprint: documents with equal fingerprints are comparable
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz fingerprint --config tamiz.toml
  diff <(tamiz fingerprint --components) <(tamiz fingerprint --components --profile full)")]
pub(crate) struct FingerprintArgs {
    /// Print its components instead, one 'name=value' per line
    #[arg(long)]
    pub(crate) components: bool,

    #[command(flatten)]
    pub(crate) read: ReadOptions,
}

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz completions bash > ~/.local/share/bash-completion/completions/tamiz
  tamiz completions fish > ~/.config/fish/completions/tamiz.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz man | man -l -
  tamiz man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write the page of each command into this directory instead
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// When to colour.
#[derive(Debug, Args)]
pub(crate) struct ColorOption {
    /// When to use colours; 'auto' is on a terminal, unless NO_COLOR is set
    #[arg(long = "color", value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto)]
    pub(crate) when: ColorWhen,
}

/// When to colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

/// How documents are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentFormat {
    Text,
    Json,
    Tokens,
}

/// How other things are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// Kinds of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    Http,
    Document,
}

/// Reads the name of a container's format.
fn container() -> impl TypedValueParser<Value = Container> {
    PossibleValuesParser::new(Container::ALL.iter().map(|format| format.as_str()))
        .try_map(|word| word.parse::<Container>())
}

/// Reads one of the library's words.
pub(crate) fn word<T>(all: &[T], as_str: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownWord> + Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.iter().map(|value| as_str(*value))).try_map(|word| word.parse::<T>())
}
