//! Collects secrets from content that a document has no place for (clause 6.14.5): headers of parts, text between
//! them, comments, extensions of chunks, trailers.

use bumpalo::collections::Vec as BumpVec;

use crate::bytes;
use crate::context::Context;
use crate::decode::utf8;
use crate::text::Text;

/// The secrets of texts that are not shown.
pub(crate) struct Unseen<'a> {
    pub(crate) secrets: BumpVec<'a, Text<'a>>,
    /// Those of headers that hold credentials alone.
    pub(crate) authorizations: BumpVec<'a, Text<'a>>,
}

impl<'a> Unseen<'a> {
    pub(crate) fn new(cx: Context<'a>) -> Self {
        Unseen { secrets: BumpVec::new_in(cx.bump), authorizations: BumpVec::new_in(cx.bump) }
    }

    /// Takes a text, with its name if it has one, where it is a secret by one of the two.
    pub(crate) fn take(&mut self, name: Option<Text<'a>>, text: Text<'a>, cx: Context<'a>) {
        let text = utf8::repair(text, cx, &mut cx.flags());
        let names = &cx.settings.names;
        let is_sensitive = |name: Text<'a>| {
            let name = utf8::repair(name, cx, &mut cx.flags()).classified();
            names.matches(name.text.bytes, name.classes, cx)
        };
        let is = |known: &[u8]| name.is_some_and(|name| name.bytes.eq_ignore_ascii_case(known));
        if is(b"authorization") || is(b"proxy-authorization") {
            self.authorizations.push(text);
        } else if name.is_some_and(is_sensitive)
            || names.find_credential(text.bytes, bytes::union(text.bytes), cx).is_some()
        {
            self.secrets.push(text);
        }
    }

    /// Takes a line that may be a header: `name: value`.
    pub(crate) fn take_line(&mut self, line: Text<'a>, cx: Context<'a>) {
        match line.cut(b':').filter(|(name, _)| bytes::is_token(name.trim().bytes)) {
            Some((name, value)) => self.take(Some(name.trim()), value.trim(), cx),
            None => self.take(None, line, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn lines_are_secrets_by_name_or_content() {
        with_context(|cx| {
            let mut unseen = Unseen::new(cx);
            for line in [
                "X-Note: hello",
                "X-Api-Key: k1",
                "authorization : Foo a",
                "pwd=b",
                "no secret",
                "X: token=c",
            ] {
                unseen.take_line(Text::untraced(line.as_bytes()), cx);
            }
            let texts = |list: &[Text<'_>]| -> Vec<String> {
                list.iter().map(|text| String::from_utf8_lossy(text.bytes).into_owned()).collect()
            };
            assert_eq!(texts(&unseen.secrets), ["k1", "pwd=b", "token=c"]);
            assert_eq!(texts(&unseen.authorizations), ["Foo a"]);
        });
    }
}
