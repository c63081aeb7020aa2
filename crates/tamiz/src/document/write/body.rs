//! The lines of a body: `B:`, `BQ:` and `BK:`.

use super::{Writer, grouped, words, words_of};
use crate::body::{self, Body};
use crate::document::many::FirstParameters;
use crate::flags::Parameter;
use crate::formats::fields::Fields;
use crate::formats::key_path::Start;
use crate::formats::leaf;

use crate::show::marker::{self, number, push};

impl<'a> Writer<'a, '_> {
    pub(super) fn body_lines(&mut self, body: &Body<'a>) {
        push(self.out, "B:");
        push(self.out, body.kind.as_str());
        self.measure(" BLEN:", body.len as u64);
        let mut all = body.flags.set;
        let mut parameters = words_of(&body.flags, self.cx);
        match &body.content {
            body::Content::Whole { text, secret } => {
                self.out.push(b' ');
                marker::write(text.bytes, *secret, self.cx, self.out);
                self.end_line_of(all, &mut parameters);
            }
            body::Content::Fields(fields) => {
                let mut keys = fields.keys(Start::Body);
                let told = fields.told().zip(&keys);
                for (field, key) in
                    told.filter(|(field, _)| !field.flags.set.is_empty() || field.json.is_some())
                {
                    all = all.union(field.flags.set);
                    parameters.extend(words(&field.flags));
                    for flag in field.flags.set.iter().filter(|flag| flag.parameter_kind() == Parameter::Key)
                    {
                        parameters.push((flag, key));
                    }
                    for flags in field.leaf_flags() {
                        all = all.union(flags.set);
                        parameters.extend(words(flags));
                    }
                }
                if let Some(more) = &fields.more_pairs {
                    parameters.extend(FirstParameters::of_keys(&more.keyed, self.cx));
                }
                self.end_line_of(all, &mut parameters);
                keys.truncate(fields.list.len());
                self.field_lines(fields, &keys);
            }
        }
    }

    fn field_lines(&mut self, fields: &Fields<'a>, keys: &[&'a [u8]]) {
        push(self.out, "BQ:");
        number(self.out, fields.count() as u64);
        push(self.out, " KEYS:");
        for (i, key) in keys.iter().enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(key);
        }
        marker::write_more(fields.count(), keys.len(), ",", self.out);
        self.out.push(b'\n');
        for group in grouped(keys.iter().copied().zip(&fields.list), self.cx) {
            push(self.out, "BK:");
            for (i, (key, _, field)) in group.iter().enumerate() {
                if i == 0 {
                    self.out.extend_from_slice(key);
                }
                self.out.push(if i == 0 { b'=' } else { b'|' });
                leaf::write(field, self.cx, self.out);
            }
            self.out.push(b'\n');
        }
        if fields.more > 0 {
            marker::write_more(fields.count(), keys.len(), "BK:", self.out);
            self.out.push(b'\n');
        }
    }
}
