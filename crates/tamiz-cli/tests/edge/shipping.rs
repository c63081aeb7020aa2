//! The sink's lines through rsyslog, by the configuration that `docs/service.md` shows.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::agent::Agent;
use crate::client::Client;
use crate::common::{self, wait_until};
use crate::proxies::find;
use crate::root;

/// A running rsyslog; it stops when it is dropped.
struct Rsyslog(Child);

impl Drop for Rsyslog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The configuration of the documentation, reading `sink` and writing to `shipped` what it would send elsewhere.
fn configuration(sink: &Path, shipped: &Path) -> String {
    let page = fs::read_to_string(root().join("docs/service.md")).unwrap();
    let (_, after) = page.split_once("```text\n# Without this, rsyslog").expect("the configuration");
    let (shown, _) = after.split_once("```").unwrap();
    let shown = format!("# Without this, rsyslog{shown}");
    // Modules of other packages, and what they send to.
    let kept: Vec<&str> = shown.lines().filter(|line| !line.contains("load=\"om")).collect();
    let (before, actions) = kept.join("\n").split_once("    action(").map(own).expect("its actions");
    let end = actions.rfind('}').expect("the end of the rules");
    let action = format!("    action(type=\"omfile\" file=\"{}\" template=\"line\")\n", shipped.display());
    let text = format!("{before}{action}{}\n", &actions[end..]);
    let documents = "/var/lib/tamiz/documents.jsonl";
    assert!(text.contains(documents) && text.contains("%msg%"), "{text}");
    let line = "template(name=\"line\" type=\"string\" string=\"%msg%\\n\")\n";
    // The folder of its queues is the system's unless it is said.
    let folder = shipped.parent().unwrap().display();
    let (first, rest) = text.split_once("global(").unwrap();
    let text = format!("{first}global(workDirectory=\"{folder}\" {rest}");
    let (modules, rules) = text.split_once("template(").unwrap();
    format!("{modules}{line}template({rules}").replace(documents, &sink.display().to_string())
}

fn own((before, after): (&str, &str)) -> (String, String) {
    (before.to_owned(), after.to_owned())
}

/// Asks about one short request and one whose document is longer than what rsyslog takes by itself.
fn ask(agent: &Agent) {
    let mut client = Client::new(TcpStream::connect(agent.places.http).unwrap());
    let keys: Vec<String> = (0..100).map(|n| format!("a_{}{n:03}=1", "long".repeat(14))).collect();
    for target in ["/short".to_owned(), format!("/long?{}", keys.join("&")), "/last".to_owned()] {
        let answer = client.ask("GET", "/check", &[("x-original-uri", &target[..])], b"");
        assert_eq!(answer.status, 200);
    }
}

#[test]
fn rsyslog_ships_every_line_of_the_sink_whole() {
    let Some(program) = find("rsyslogd") else { return };
    let folder = common::scratch("edge-rsyslog");
    let (sink, shipped) = (folder.join("documents.jsonl"), folder.join("shipped.jsonl"));
    let agent = Agent::start(&["--sink", &format!("file:{}", sink.display())]);
    ask(&agent);
    let lines = || fs::read_to_string(&sink).unwrap();
    wait_until(|| lines().ends_with('\n') && lines().lines().count() == 3, lines);
    assert!(lines().lines().any(|line| line.len() > 8_096), "{}", lines());

    let file = folder.join("rsyslog.conf");
    fs::write(&file, configuration(&sink, &shipped)).unwrap();
    let log = fs::File::create(folder.join("rsyslog.log")).unwrap();
    let child = Command::new(program)
        .args(["-n", "-f", &file.display().to_string(), "-i", &folder.join("pid").display().to_string()])
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn();
    let _rsyslog = Rsyslog(child.unwrap());
    let log = || fs::read_to_string(folder.join("rsyslog.log")).unwrap_or_default();
    let is_shipped = || fs::read_to_string(&shipped).is_ok_and(|text| text.lines().count() == 3);
    wait_until(is_shipped, log);
    assert_eq!(fs::read_to_string(&shipped).unwrap(), lines());
}
