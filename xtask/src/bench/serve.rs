//! `cargo x bench serve`: how many requests a second `tamiz serve` answers, beside an axum handler that reads the same
//! bodies and does nothing with them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::programs::{Folder, Servers};
use super::rounds::median;
use super::soak;
use crate::Result;
use crate::process;
use crate::setup;

/// The corpora that are sent: what browsers send, and CSIC's forms.
const CORPORA: [&str; 2] = ["browser", "csic"];
/// How many of their requests.
const REQUESTS: usize = 2000;
/// How often both are measured, in turn.
const ROUNDS: usize = 5;
/// How long each time, in seconds.
const SECONDS: u32 = 4;
/// How many connections are kept busy.
const CONNECTIONS: u32 = 16;
/// The required share of the rate of the handler that does nothing.
const LEAST: f64 = 0.7;

/// The options.
pub(crate) struct Options {
    /// The profile that programs are built in.
    profile: String,
    /// How many minutes of all kinds of clients, instead.
    soak: Option<f64>,
}

impl Options {
    pub(crate) fn read(arguments: &[&str]) -> Option<Self> {
        let mut options = Options { profile: "dist".to_owned(), soak: None };
        let mut rest = arguments;
        while let [name, value, after @ ..] = rest {
            match *name {
                "--profile" => options.profile = (*value).to_owned(),
                "--soak" => options.soak = Some(value.parse().ok().filter(|minutes| *minutes > 0.0)?),
                _ => return None,
            }
            rest = after;
        }
        rest.is_empty().then_some(options)
    }
}

/// Measures; fails if it is too slow, or if memory grows.
pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let Servers { tamiz, nothing, corpora } = Servers::build(root, &options.profile)?;
    let folder = Folder::new()?;
    if let Some(minutes) = options.soak {
        let sample = folder.sample(&corpora, "browser", REQUESTS)?;
        return soak::run(&tamiz, &sample.file, minutes);
    }
    setup::provide("wrk", "wrk")?;
    let script = folder.path("load.lua");
    std::fs::write(&script, SCRIPT)?;
    println!(
        "| corpus | handler that does nothing | tamiz serve | of it | by processor time | processor time of each, µs |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let mut too_slow = Vec::new();
    for corpus in CORPORA {
        let sample = folder.sample(&corpora, corpus, REQUESTS)?;
        let nothing = Server::start(Command::new(&nothing))?;
        let mut serve = Command::new(&tamiz);
        serve.args(["serve", "--listen", "127.0.0.1:0"]);
        let tamiz = Server::start(serve)?;
        for server in [&nothing, &tamiz] {
            // Not counted: what is made once is made now.
            server.load(&script, &sample.file, 1)?;
        }
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let round =
                (nothing.load(&script, &sample.file, SECONDS)?, tamiz.load(&script, &sample.file, SECONDS)?);
            rounds.push(round);
        }
        let of = |what: fn(&(Load, Load)) -> f64| median(rounds.iter().map(what).collect());
        let share = of(|(nothing, tamiz)| tamiz.rate / nothing.rate);
        let by_processor = of(|(nothing, tamiz)| nothing.all_micros() / tamiz.all_micros());
        println!(
            "| {corpus} | {:.0} | {:.0} | {share:.2} | {by_processor:.2} | {:.1} and {:.1} |",
            of(|(nothing, _)| nothing.rate),
            of(|(_, tamiz)| tamiz.rate),
            of(|(nothing, _)| nothing.server_micros),
            of(|(_, tamiz)| tamiz.server_micros),
        );
        // On a busy machine the clock tells of others; on an idle one the two are about the same.
        if share.max(by_processor) < LEAST {
            too_slow.push(corpus);
        }
    }
    println!(
        "\nRequests a second over {CONNECTIONS} connections of the loopback interface, medians of {ROUNDS} rounds of \
         {SECONDS} seconds in turn; wrk runs on the same cores. By processor time: of servers and wrk together, for a \
         request."
    );
    if too_slow.is_empty() {
        Ok(())
    } else {
        Err(format!("less than {LEAST} of what nothing takes: {}", too_slow.join(", ")).into())
    }
}

/// A server that was started here; ended when it is dropped.
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
}

impl Server {
    /// Starts it; the first line that it prints says where it listens.
    pub(super) fn start(mut command: Command) -> Result<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().ok_or("a pipe was asked for")?;
        let mut server = Server { child, address: String::new() };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        server.address = address.ok_or("a server that does not say where it listens")?.to_owned();
        Ok(server)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    fn load(&self, script: &Path, requests: &Path, seconds: u32) -> Result<Load> {
        let before = (seconds_of(self.id(), OWN), seconds_of(std::process::id(), CHILDREN));
        let mut wrk = Command::new("wrk");
        wrk.args(["--threads", "1", "--connections", &CONNECTIONS.to_string(), "--duration"]);
        wrk.arg(format!("{seconds}s")).arg("--script").arg(script);
        wrk.arg(format!("http://{}/v1/canonicalize", self.address)).arg("--").arg(requests);
        let printed = process::output(&mut wrk)?;
        let after = (seconds_of(self.id(), OWN), seconds_of(std::process::id(), CHILDREN));
        let line =
            printed.lines().find_map(|line| line.strip_prefix("RESULT ")).ok_or("wrk tells no result")?;
        let numbers = line.split(' ').map(str::parse).collect::<std::result::Result<Vec<f64>, _>>()?;
        let [requests, micros, failed] = numbers[..] else { return Err("wrk tells another result".into()) };
        if failed > 0.0 || requests == 0.0 {
            return Err(format!("{failed} of {requests} requests failed").into());
        }
        let spent = |before: Option<f64>, after: Option<f64>| {
            after.zip(before).map_or(f64::NAN, |(after, before)| (after - before) * 1e6 / requests)
        };
        Ok(Load {
            rate: requests * 1e6 / micros,
            server_micros: spent(before.0, after.0),
            client_micros: spent(before.1, after.1),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of a load.
struct Load {
    /// Requests a second.
    rate: f64,
    /// The processor time of the server for each of them.
    server_micros: f64,
    /// That of wrk.
    client_micros: f64,
}

impl Load {
    fn all_micros(&self) -> f64 {
        self.server_micros + self.client_micros
    }
}

/// Where a process's own time is in its `stat`, behind its name, and that of its children that have ended.
const OWN: usize = 11;
const CHILDREN: usize = 13;

/// The processor time of a process, in seconds, where the system tells it.
fn seconds_of(id: u32, field: usize) -> Option<f64> {
    /// The unit of the fields: `sysconf(_SC_CLK_TCK)` is 100 on every Linux there is.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(field);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

/// The script of wrk: the requests of a file, each after its length, one after the other.
const SCRIPT: &str = r#"
local requests = {}
local at = 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  while true do
    local length = file:read(4)
    if not length then break end
    local a, b, c, d = length:byte(1, 4)
    local body = file:read(a + 256 * (b + 256 * (c + 256 * d)))
    requests[#requests + 1] = wrk.format("POST", nil, nil, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, all)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("RESULT %d %d %d\n", summary.requests, summary.duration, failed))
end
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert!(
            Options::read(&[]).is_some_and(|options| options.profile == "dist" && options.soak.is_none())
        );
        let options = Options::read(&["--soak", "30", "--profile", "measure"]).unwrap();
        assert_eq!((options.profile.as_str(), options.soak), ("measure", Some(30.0)));
        for wrong in [&["--soak"][..], &["--soak", "0"], &["--soak", "x"], &["30"], &["--what", "1"]] {
            assert!(Options::read(wrong).is_none());
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_processor_time() {
        assert!(seconds_of(std::process::id(), OWN).is_some_and(f64::is_finite));
        assert!(seconds_of(std::process::id(), CHILDREN).is_some_and(f64::is_finite));
    }
}
