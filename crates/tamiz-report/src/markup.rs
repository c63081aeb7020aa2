//! Markup, and the one place where text is escaped for it.
//!
//! What is written as it is has to be a constant of this program; whatever is not goes through [`Html::text`] or
//! [`Html::attr`], and nothing that it holds is markup, or drives the direction of text, or is invisible.

use std::fmt::{Display, Write};

use tamiz_explain::visible::harmless;

/// A page under way.
#[derive(Debug, Default)]
pub(crate) struct Html {
    out: String,
    /// A start tag is not ended yet.
    in_tag: bool,
}

impl Html {
    /// Begins an element; attributes may follow.
    pub(crate) fn open(&mut self, name: &'static str) -> &mut Self {
        self.end_tag();
        self.out.push('<');
        self.out.push_str(name);
        self.in_tag = true;
        self
    }

    /// An attribute of the element that was just begun.
    pub(crate) fn attr(&mut self, name: &'static str, value: impl Display) -> &mut Self {
        debug_assert!(self.in_tag, "attributes belong to a start tag");
        // Writing to memory does not fail.
        let _ = write!(self.out, " {name}=\"");
        self.push_escaped(&value.to_string());
        self.out.push('"');
        self
    }

    /// A place along an axis, as an attribute: per cent of the whole.
    pub(crate) fn at(&mut self, name: &'static str, share: f64) -> &mut Self {
        self.attr(name, format_args!("{:.2}%", share * 100.0))
    }

    /// Text, whatever is in it.
    pub(crate) fn text(&mut self, text: impl Display) -> &mut Self {
        self.end_tag();
        self.push_escaped(&text.to_string());
        self
    }

    /// Markup of this program.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.end_tag();
        self.out.push_str(markup);
        self
    }

    /// Ends an element.
    pub(crate) fn close(&mut self, name: &'static str) -> &mut Self {
        self.end_tag();
        let _ = write!(self.out, "</{name}>");
        self
    }

    /// An element with a class and a text.
    pub(crate) fn element(
        &mut self,
        name: &'static str,
        class: &'static str,
        text: impl Display,
    ) -> &mut Self {
        self.open(name);
        if !class.is_empty() {
            self.attr("class", class);
        }
        self.text(text).close(name)
    }

    /// Lines of text, each with its line end.
    pub(crate) fn lines(&mut self, text: &str) -> &mut Self {
        for line in text.lines() {
            self.text(line).raw("\n");
        }
        self
    }

    /// The page.
    pub(crate) fn finish(mut self) -> String {
        self.end_tag();
        self.out
    }

    fn end_tag(&mut self) {
        if std::mem::take(&mut self.in_tag) {
            self.out.push('>');
        }
    }

    fn push_escaped(&mut self, text: &str) {
        for c in harmless(text).chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                c => self.out.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_forged() {
        let hostile = "</script><b a=\"x\" b='y'>&amp;\u{202E}\u{0}\u{1B}[31m\n";
        let mut html = Html::default();
        html.open("p").attr("title", hostile).text(hostile).close("p");
        let page = html.finish();
        let escaped =
            "&lt;/script&gt;&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;\\u{202E}\\x00\\x1B[31m\\n";
        assert_eq!(page, format!("<p title=\"{escaped}\">{escaped}</p>"));
    }

    #[test]
    fn elements_nest() {
        let mut html = Html::default();
        html.open("div")
            .open("svg")
            .at("x", 0.125)
            .close("svg")
            .element("b", "c", 7)
            .lines("a\nb")
            .close("div");
        assert_eq!(html.finish(), "<div><svg x=\"12.50%\"></svg><b class=\"c\">7</b>a\nb\n</div>");
    }
}
