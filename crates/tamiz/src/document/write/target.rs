//! The lines of a target: `U:`, `P:`, `Q:` and what belongs to them.

use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use super::{Writer, grouped, key_text, words, words_of, written_number};
use crate::document::many::FirstParameters;
use crate::flags::{Flag, Parameter};
use crate::inspect::write_key;
use crate::request::Request;
use crate::show::NameShown;
use crate::show::length;
use crate::show::marker::{self, number, push};
use crate::target::form::Form;
use crate::target::pair::Pair;
use crate::target::path::Path;
use crate::target::query::Query;
use crate::target::write::{WrittenPair, write_path, write_tail, write_userinfo, write_value_shape};

impl<'a> Writer<'a, '_> {
    pub(super) fn target_lines(&mut self, request: &Request<'a>) {
        let pairs = request.url.query.as_ref().map_or(0, |query| query.pairs.len());
        let mut written =
            BumpVec::with_capacity_in(pairs.min(self.cx.settings.config.limits.pairs), self.cx.bump);
        let path_written = self.url_line(request, &mut written);
        if let Some(path) = &request.url.path {
            self.path_line(path, path_written);
        }
        if let Some(query) = &request.url.query {
            self.query_lines(query, &written);
        }
    }

    /// Returns where in the output the path is, and notes where pairs are.
    fn url_line(&mut self, request: &Request<'a>, pairs: &mut BumpVec<'a, WrittenPair>) -> Range<usize> {
        let url = &request.url;
        if url.host.is_none() && !request.is_without_authority(self.cx) {
            return 0..0;
        }
        let mut path = 0..0;
        push(self.out, "U:");
        if let Some(host) = url.host {
            if request.form != Form::Authority {
                push(self.out, request.scheme.as_str());
                push(self.out, "://");
            }
            write_userinfo(url, self.out);
            host.write(self.out);
        }
        if request.form != Form::Authority {
            path = write_tail(url, self.cx, self.out, |pair| pairs.push(pair));
        }
        self.end_line(&url.flags);
        path
    }

    /// Writes the line of a path, which may be written already at some place of the output.
    fn path_line(&mut self, path: &Path<'a>, written: Range<usize>) {
        push(self.out, "P:");
        let start = self.out.len();
        if written.is_empty() {
            write_path(path, self.cx, self.out);
        } else {
            self.out.extend_from_within(written);
        }
        let text = self.out.get(start..).unwrap_or_default();
        let (len, longest) = match path.as_written(self.cx) {
            Some(text) => {
                (text.len(), path.segments.iter().map(|segment| segment.text.len()).max().unwrap_or(0))
            }
            None => length::of_path(text, self.cx.settings.beyond_core()),
        };
        self.measure(" PLEN:", len as u64);
        self.measure(" PMAX:", longest as u64);
        if path.flags.set.is_empty() {
            self.out.push(b'\n');
        } else {
            let climb = written_number(path.longest_climb, self.cx);
            let mut parameters = words_of(&path.flags, self.cx);
            parameters.extend([(Flag::DotDotN, climb), (Flag::MultiEnc, &b"path"[..])]);
            self.end_line_of(path.flags.set, &mut parameters);
        }
    }

    /// Writes the lines of a query, whose pairs may be written already at some places of the output.
    fn query_lines(&mut self, query: &Query<'a>, written: &[WrittenPair]) {
        push(self.out, "Q:");
        number(self.out, query.count() as u64);
        push(self.out, " KEYS:");
        let most = self.cx.settings.config.limits.pairs;
        for (i, pair) in query.pairs.iter().take(most).enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            match written.get(i) {
                Some(written) => self.out.extend_from_within(written.key()),
                None => write_key(pair.key, self.cx, self.out),
            }
        }
        marker::write_more(query.count(), most, ",", self.out);
        let mut all = query.flags.set;
        let mut parameters = words_of(&query.flags, self.cx);
        for pair in query.pairs.iter().filter(|pair| !pair.flags.set.is_empty()) {
            all = all.union(pair.flags.set);
            parameters.extend(words(&pair.flags));
            for flag in pair.flags.set.iter().filter(|flag| flag.parameter_kind() == Parameter::Key) {
                parameters.push((flag, key_text(pair.key, self.cx)));
            }
        }
        for flags in query.pairs.iter().flat_map(Pair::leaf_flags) {
            all = all.union(flags.set);
            parameters.extend(words(flags));
        }
        if let Some(more) = &query.more {
            all = all.union(more.flags.set);
            parameters.extend(words(&more.flags));
            parameters.extend(FirstParameters::of_keys(&more.keyed, self.cx));
        }
        self.end_line_of(all, &mut parameters);
        if self.cx.settings.keys_sorted {
            self.keys_sorted_line(query);
        }
        if self.cx.settings.qk {
            self.qk_lines(query, written);
        }
    }

    fn keys_sorted_line(&mut self, query: &Query<'a>) {
        let mut keys = BumpVec::with_capacity_in(query.pairs.len(), self.cx.bump);
        let most = self.cx.settings.config.limits.pairs;
        keys.extend(query.pairs.iter().take(most).map(|pair| key_text(pair.key, self.cx)));
        keys.sort_unstable();
        keys.dedup();
        push(self.out, "KEYS_SORTED:");
        for (i, key) in keys.iter().enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(key);
        }
        self.out.push(b'\n');
    }

    /// One line a key, in order of first arrival.
    fn qk_lines(&mut self, query: &Query<'a>, written: &[WrittenPair]) {
        let most = self.cx.settings.config.limits.pairs;
        // Values in clear are written there.
        let written = if self.cx.settings.literal() { &[] } else { written };
        if written.len() == most.min(query.pairs.len()) && are_distinct(&query.pairs) {
            for written in written {
                push(self.out, "QK:");
                self.out.extend_from_within(written.whole());
                self.out.push(b'\n');
            }
        } else {
            let shown = query.pairs.iter().take(most).map(|pair| (key_text(pair.key, self.cx), pair));
            for group in grouped(shown, self.cx) {
                push(self.out, "QK:");
                for (i, (key, nth, pair)) in group.iter().enumerate() {
                    if i == 0 {
                        self.out.extend_from_slice(key);
                    }
                    self.out.push(if i == 0 { b'=' } else { b'|' });
                    match written.get(*nth).map(|written| written.value()).filter(|range| !range.is_empty()) {
                        Some(written) => self.out.extend_from_within(written),
                        None => write_value_shape(pair, self.cx, self.out),
                    }
                }
                self.out.push(b'\n');
            }
        }
        if query.count() > most {
            marker::write_more(query.count(), most, "QK:", self.out);
            self.out.push(b'\n');
        }
    }
}

/// Returns whether each pair has a value, and no two show a key in common.
fn are_distinct(pairs: &[Pair<'_>]) -> bool {
    pairs.iter().all(|pair| {
        pair.key.shown == NameShown::Text && pair.value.is_some() && !pair.flags.set.contains(Flag::QRepeat)
    })
}
