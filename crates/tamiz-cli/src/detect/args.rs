//! The command line of `learn`, `score` and `model`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::args::{ColorOption, ContainerOptions, Format, ReadOptions};

/// Build a model of the usual requests of a site
///
/// Reads what 'batch' reads, and counts tokens of documents by endpoint. The model holds no secret and no
/// value, and is the same for the same requests in any order. At the end it tells how much of the traffic
/// is still new, and which scores 5, 1 and 0.1 % of the learned requests exceed. Learn traffic that is
/// usual: a few attacks among it do little harm.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz learn traffic.har access.log -o site.model
  tamiz learn november.jsonl.gz -o site.model --update
  tamiz learn november.jsonl.gz -o site.model --update --decay 50

Exit codes:
  0  everything was read
  1  the model could not be made
  2  wrong usage, or not a model
  3  the model is made, but some records could not be read")]
pub(crate) struct LearnArgs {
    /// Files, folders of files, or '-' for standard input, which is also read when there are none
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The model to write
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    /// Continue the existing model
    #[arg(long, conflicts_with = "force")]
    pub(crate) update: bool,

    /// First reduce its counts to this percentage, so that older requests weigh less
    #[arg(long, value_name = "PERCENT", requires = "update", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) decay: Option<u8>,

    /// Stop after so many requests
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,

    /// Continue a run that was stopped; inputs and options have to be the same
    #[arg(long)]
    pub(crate) resume: bool,

    /// Replace an existing model, and the rest of a run that was stopped
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,

    /// Requests between two checkpoints, from which '--resume' can continue
    #[arg(long, value_name = "N", default_value_t = 200_000, hide_short_help = true)]
    pub(crate) checkpoint: u64,

    /// Report every record that cannot be read in this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) errors: Option<PathBuf>,

    /// Do not say at the end what was learned
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) containers: ContainerOptions,

    #[command(flatten)]
    pub(crate) read: ReadOptions,
}

/// Score how unusual requests are, and say why
///
/// Reads what 'batch' reads. The p-value of a request is the share of learned requests that score as high;
/// it is an alert when that is at most '--fpr'. Without a model the flags alone score, weighed by how much
/// more often public attacks raise them than public honest requests do: then there is no p-value, and no
/// verdict.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tamiz score --model site.model requests.har
  tamiz score --model site.model access.log --top 50
  tamiz score --model site.model access.log --format jsonl -o scores.jsonl --fpr 0.001
  tamiz score --model site.model access.log --format parquet -o scores.parquet
  tamiz score --model site.model today.jsonl.gz --drift
  tamiz score requests.har --top 20

Exit codes:
  0  everything was read
  1  the output could not be made
  2  wrong usage, or not a model
  3  done, but some records could not be read")]
pub(crate) struct ScoreArgs {
    /// Files, folders of files, or '-' for standard input, which is also read when there are none
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// A model of 'tamiz learn'; without it, flags alone score
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,

    /// The share of usual requests that may be alerts
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    pub(crate) fpr: f64,

    /// Show only so many requests, those that score highest, in that order
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,

    /// Show by endpoint how far traffic has moved away from the model, instead of single requests
    #[arg(long, requires = "model", conflicts_with_all = ["top", "format"])]
    pub(crate) drift: bool,

    /// A table for people, one JSON object per line, or Parquet, which needs '--out'
    #[arg(long, value_enum, default_value_t = ScoreFormat::Table)]
    pub(crate) format: ScoreFormat,

    /// The file to write instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,

    /// Replace an existing output
    #[arg(long)]
    pub(crate) force: bool,

    /// Stop after so many requests
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,

    /// Report every record that cannot be read in this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) errors: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) containers: ContainerOptions,

    #[command(flatten)]
    pub(crate) read: ReadOptions,

    #[command(flatten)]
    pub(crate) color: ColorOption,
}

/// Show, merge and correct models
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) command: ModelCommand,
}

/// Commands on models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Show what a model has learned
    Show(ShowArgs),
    /// Join models of the same configuration: the result is the model of all their requests
    Merge(MergeArgs),
    /// Take requests that were false alarms into a model
    Accept(AcceptArgs),
}

/// `tamiz model show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The model
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// List the tokens of this endpoint, such as 'GET /index.html', and how many requests had each
    #[arg(long, value_name = "ENDPOINT")]
    pub(crate) endpoint: Option<String>,

    /// Text for people, or one JSON object
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// `tamiz model merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The models to join
    #[arg(value_name = "MODEL", required = true)]
    pub(crate) models: Vec<PathBuf>,

    /// The model to write
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// Replace a model that exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// `tamiz model accept`.
#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// Files of one request each; standard input when there are none, or for '-'
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// The model, which is replaced
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    #[command(flatten)]
    pub(crate) read: ReadOptions,
}

/// How scores are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoreFormat {
    Table,
    Jsonl,
    Parquet,
}

/// Reads a share of false positives.
fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("expected a share from 0 to 1, such as 0.01")
}
