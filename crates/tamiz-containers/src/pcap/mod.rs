//! Packet captures: packets to streams, streams to requests.
//!
//! ```text
//! blocks ──► packets ──────► segments ──────────────► bytes in order ──► requests
//! file.rs    link.rs, wifi.rs ip.rs (fragments.rs joins) stream.rs       requests.rs
//!            (tunnel.rs: again)                                          http2.rs
//! ```
//!
//! Packets that are not read are counted (`tally.rs`).

mod file;
mod fragments;
mod framing;
mod http2;
mod ip;
mod link;
mod requests;
mod stream;
mod tally;
mod tunnel;
mod wifi;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;

use tamiz::Source;

use crate::compressed;
use crate::container::Reader;
use crate::record::{At, Found, Reason, Request};
use crate::time::Time;
use crate::window::Window;

use file::{Blocks, Next};
use ip::{FlowKey, Segment};
use link::Decoder;
use requests::{Cutter, Outcome};
use stream::{Event, Stream};
use tally::Unread;

pub(crate) use file::is_one;

/// The most streams that are followed at a time; the one that was silent for longest gives way.
const MOST_FLOWS: usize = 1 << 16;
/// The most bytes that all streams may keep; then those that keep most are ended.
const MOST_BYTES: usize = 64 << 20;

/// The requests of a capture, in the order in which they are complete.
pub(crate) struct Capture {
    blocks: Blocks,
    decoder: Decoder,
    flows: HashMap<FlowKey, Flow>,
    /// The flows by when they last had a packet, for the one to give way.
    by_use: BTreeMap<u64, FlowKey>,
    uses: u64,
    /// The number of flows so far.
    streams: u64,
    ready: VecDeque<(At, Result<Found, Reason>)>,
    notices: VecDeque<(At, Reason)>,
    limit: usize,
    kept: usize,
    is_over: bool,
}

/// One direction of a connection.
struct Flow {
    stream: Stream,
    cutter: Cutter,
    /// Its number among all, from one.
    number: u64,
    client: IpAddr,
    /// The packet that it began with.
    first: u64,
    used: u64,
    kept: usize,
}

/// The packet that something came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) number: u64,
    pub(crate) time: Option<Time>,
}

impl Capture {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Capture {
            blocks: Blocks::new(window, limit),
            decoder: Decoder::default(),
            flows: HashMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
            streams: 0,
            ready: VecDeque::new(),
            notices: VecDeque::new(),
            limit,
            kept: 0,
            is_over: false,
        }
    }

    /// Reads one block; whether there was one.
    fn step(&mut self) -> bool {
        match self.blocks.next() {
            Next::Packet { link, bytes, packet, is_cut } => {
                if is_cut {
                    self.decoder.tally.add(Unread::Cut, packet.number);
                }
                if let Some(payload) = self.decoder.decode(link, &bytes, packet.number)
                    && let Some(segment) = payload.segment()
                {
                    self.segment(&segment, packet);
                }
                true
            }
            Next::Other => true,
            Next::Unreadable { packet, reason } => {
                self.ready.push_back((At::Packet(packet), Err(reason)));
                true
            }
            Next::End { packet, failure } => {
                if let Some(reason) = failure {
                    self.ready.push_back((At::Packet(packet), Err(reason)));
                }
                false
            }
        }
    }

    fn segment(&mut self, segment: &Segment<'_>, packet: Packet) {
        if segment.data.is_empty() && !segment.is_syn && !segment.is_fin {
            return;
        }
        self.uses = self.uses.saturating_add(1);
        let used = self.uses;
        let limit = self.limit;
        let key = segment.key;
        if segment.is_syn
            && self.flows.get(&key).is_some_and(|flow| flow.stream.is_other_connection(segment.sequence))
        {
            self.end(key);
        }
        if !self.flows.contains_key(&key) {
            if self.flows.len() >= MOST_FLOWS
                && let Some((_, oldest)) = self.by_use.pop_first()
            {
                self.end(oldest);
            }
            self.streams = self.streams.saturating_add(1);
            let flow = Flow {
                stream: Stream::default(),
                cutter: Cutter::new(limit),
                number: self.streams,
                client: key.from.0,
                first: packet.number,
                used,
                kept: 0,
            };
            self.flows.insert(key, flow);
        }
        let Some(flow) = self.flows.get_mut(&key) else { return };
        self.by_use.remove(&flow.used);
        flow.used = used;
        self.by_use.insert(used, key);
        let mut events = Vec::new();
        flow.stream.add(segment, packet, &mut events);
        let mut outcomes = Vec::new();
        let is_over = feed(flow, events, &mut outcomes);
        let kept = flow.stream.kept().saturating_add(flow.cutter.kept());
        self.kept = self.kept.saturating_sub(flow.kept).saturating_add(kept);
        flow.kept = kept;
        let from = (flow.number, flow.client);
        self.tell(outcomes, from);
        if is_over {
            self.end(key);
        }
        while self.kept > MOST_BYTES {
            let most = self.flows.iter().max_by_key(|(_, flow)| (flow.kept, flow.used)).map(|(key, _)| *key);
            let Some(most) = most else { break };
            self.end(most);
        }
    }

    /// Ends a stream: what it still keeps is told.
    fn end(&mut self, key: FlowKey) {
        let Some(mut flow) = self.flows.remove(&key) else { return };
        self.by_use.remove(&flow.used);
        self.kept = self.kept.saturating_sub(flow.kept);
        let mut events = Vec::new();
        flow.stream.end(&mut events);
        let mut outcomes = Vec::new();
        feed(&mut flow, events, &mut outcomes);
        flow.cutter.end(&mut outcomes);
        if flow.cutter.is_tls() {
            self.decoder.tally.add(Unread::Tls, flow.first);
        }
        self.tell(outcomes, (flow.number, flow.client));
    }

    /// Hands on what came of a stream: its number, and who sent it.
    fn tell(&mut self, outcomes: Vec<Outcome>, (stream, client): (u64, IpAddr)) {
        for Outcome { packet, result } in outcomes {
            // Requests of HTTP/2 are parts, as they were on the wire.
            let found = result.map(|request| {
                let found = match request {
                    Request::Raw(bytes) => Found::raw(bytes),
                    Request::Parts(parts) => Found::parts(parts, Source::Wire),
                };
                Found { time: packet.time, stream: Some(stream), client: Some(client), ..found }
            });
            self.ready.push_back((At::Packet(packet.number), found));
        }
    }

    /// Ends every stream, in the order of their last packets.
    fn finish(&mut self) {
        while let Some((_, key)) = self.by_use.pop_first() {
            self.end(key);
        }
        while let Some((what, packet, reason)) = self.decoder.tally.pop() {
            if what.is_fault() {
                self.ready.push_back((At::Packet(packet), Err(reason)));
            } else {
                self.notices.push_back((At::Packet(packet), reason));
            }
        }
    }
}

/// Hands a stream's events to its cutter; whether the stream is over.
fn feed(flow: &mut Flow, events: Vec<Event>, outcomes: &mut Vec<Outcome>) -> bool {
    let mut is_over = false;
    for event in events {
        match event {
            Event::Data(bytes, packet) => flow.cutter.data(&bytes, packet, outcomes),
            Event::Gap(len) => flow.cutter.gap(len, outcomes),
            Event::End => is_over = true,
        }
    }
    is_over
}

impl Reader for Capture {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some(found);
            }
            if self.is_over {
                return None;
            }
            if !self.step() {
                self.is_over = true;
                self.finish();
            }
        }
    }

    fn next_notice(&mut self) -> Option<(At, Reason)> {
        self.notices.pop_front()
    }
}

/// Why a capture ended early.
fn cut(window: &Window) -> Reason {
    window.failure().map_or_else(|| "the capture ends in the middle of a packet".into(), compressed::reason)
}
