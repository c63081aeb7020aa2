//! Decides which ranges of a body may be shown beside its document: those that were checked and are no secret.

use std::ops::Range;

use super::{Body, Content};
use crate::flags::Flags;
use crate::formats::fields::Fields;
use crate::formats::step::Leaf;
use crate::show::NameShown;
use crate::text::Text;

/// Notes that the document hides all of `raw` but the values and names of `body` that are no
/// secrets, and punctuation. What was inflated, cut off, not shown or has no fields stays hidden.
pub(crate) fn hide_rest<'a>(raw: Text<'a>, body: Option<&Body<'a>>, flags: &mut Flags<'a>) {
    let Some(all) = raw.whole_origin() else { return };
    let Some(Content::Fields(fields)) = body.filter(|body| body.is_plain).map(|body| &body.content) else {
        flags.hide(raw);
        return;
    };
    let mut visible = visible(fields);
    visible.sort_unstable_by_key(|range| (range.start, range.end));
    let mut at = 0;
    for range in visible {
        let (start, end) = (range.start.saturating_sub(all.start), range.end.saturating_sub(all.start));
        hide_words(raw.slice(at..start.max(at)), flags);
        at = at.max(end);
    }
    hide_words(raw.from(at), flags);
}

fn visible(fields: &Fields<'_>) -> Vec<Range<usize>> {
    let names = fields.paths.names().filter(|name| name.key.shown != NameShown::Secret);
    let values =
        fields.list.iter().filter(|field| field.is_in_clear()).filter_map(|field| match field.leaf {
            Leaf::Text(text) | Leaf::Number(text) | Leaf::Bool(text) => Some(text),
            _ => None,
        });
    names.map(|name| name.key.text).chain(values).filter_map(|text| text.whole_origin()).collect()
}

/// Hides everything that is not punctuation or white space.
fn hide_words<'a>(gap: Text<'a>, flags: &mut Flags<'a>) {
    let is_mark = |b: u8| b.is_ascii_punctuation() || b.is_ascii_whitespace();
    gap.split(is_mark).filter(|word| !word.is_empty()).for_each(|word| flags.hide(word));
}
