use super::*;
use crate::context::tests::with_context;
use crate::flags::Mark;
use crate::formats::coding;
use crate::formats::step::Step;
use crate::steps;

const LIMITS: Limits = Limits { depth: 32, entities: 64 };

/// Leaves as `a/b/@c=value`; `#` in place of `=` for what is below the depth limit.
#[derive(Default)]
struct Leaves {
    path: Vec<String>,
    lines: Vec<String>,
    /// The bytes of the request behind each.
    origins: Vec<Option<std::ops::Range<usize>>>,
}

impl<'a> Sink<'a> for Leaves {
    fn enter(&mut self, step: Step<'a>) {
        self.path.push(match step {
            Step::Name(name) => show(name.bytes),
            Step::Attribute(name) => format!("@{}", show(name.bytes)),
            Step::Item => panic!("XML has no items"),
        });
    }

    fn leave(&mut self) {
        self.path.pop();
    }

    fn leaf(&mut self, leaf: Leaf<'a>) {
        let (mark, text) = match leaf {
            Leaf::Text(text) => ('=', text),
            Leaf::Deep(text) => ('#', text),
            other => panic!("{other:?}"),
        };
        assert!(text.is_repaired());
        self.lines.push(format!("{}{mark}{}", self.path.join("/"), show(text.bytes)));
        self.origins.push(text.whole_origin());
    }
}

fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The leaves and faults that reading reported.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    leaves: Vec<String>,
    flags: Vec<&'static str>,
    is_read: bool,
    capped: bool,
}

fn told(body: &[u8], cut: bool, limits: Limits) -> Told {
    with_context(|cx| told_in(cx, cx.bump.alloc_slice_copy(body), cut, limits))
}

fn told_in<'a>(cx: Context<'a>, body: &'a [u8], cut: bool, limits: Limits) -> Told {
    let mut leaves = Leaves::default();
    let mut flags = cx.flags();
    let body = Text::request(body, true);
    let body = if cut { coding::without_half_character(body) } else { body };
    let reading = read(body, cut, limits, cx, &mut leaves, &mut flags);
    Told {
        leaves: leaves.lines,
        flags: flags.set.iter().map(Flag::name).collect(),
        is_read: reading.outcome == Outcome::Read,
        capped: reading.capped,
    }
}

fn read_all(body: &[u8]) -> Told {
    told(body, false, LIMITS)
}

#[track_caller]
fn assert_leaves(body: &str, leaves: &[&str]) {
    let told = read_all(body.as_bytes());
    assert_eq!(told.leaves, leaves, "{body}");
    assert!(told.is_read, "{body}");
}

/// The ranges of the body behind a flag.
fn evidence(body: &[u8], flag: Flag) -> Vec<String> {
    with_context(|cx| {
        let mut flags = cx.flags();
        read(Text::request(body, true), false, LIMITS, cx, &mut Leaves::default(), &mut flags);
        flags
            .marks()
            .iter()
            .filter_map(|mark| match mark {
                Mark::Flag(raised, range) if *raised == flag => {
                    Some(String::from_utf8_lossy(&body[range.clone()]).into_owned())
                }
                _ => None,
            })
            .collect()
    })
}

#[test]
fn attributes_and_text() {
    assert_leaves("<a/>", &["a="]);
    assert_leaves("<a></a >", &["a="]);
    assert_leaves("<a> \r\n\t</a>", &["a="]);
    assert_leaves("<a>x</a>", &["a=x"]);
    assert_leaves("<a b='1' c = \"2\"/>", &["a/@b=1", "a/@c=2"]);
    assert_leaves("<a b=''></a>", &["a/@b="]);
    assert_leaves("<a\nb='1'\t/>", &["a/@b=1"]);
    assert_leaves("<a><b>1</b><b>2</b><c/></a>", &["a/b=1", "a/b=2", "a/c="]);
    assert_leaves("<a>x<b>y</b> z </a>", &["a=x", "a/b=y", "a= z "]);
    assert_leaves("<a>\n  <b>y</b>\n</a>\n", &["a/b=y"]);
    assert_leaves("<n:a n:b='1'><n:c.d-e_f>2</n:c.d-e_f></n:a>", &["n:a/@n:b=1", "n:a/n:c.d-e_f=2"]);
    assert_leaves("<été à='ü'>ñ</été>", &["été/@à=ü", "été=ñ"]);
    assert_leaves("<a b='>'>x > y</a>", &["a/@b=>", "a=x > y"]);
    assert_leaves("<a b='\"' c=\"'\"/>", &["a/@b=\"", "a/@c='"]);
}

#[test]
fn text_is_one_run_between_tags() {
    assert_leaves("<a>x<!-- c -->y</a>", &["a=xy"]);
    assert_leaves("<a>x<?p q?>y<![CDATA[<z>&lt;]]>&lt;</a>", &["a=xy<z>&lt;<"]);
    assert_leaves("<a><![CDATA[x]]></a>", &["a=x"]);
    assert_leaves("<a><![CDATA[]]></a>", &["a="]);
    assert_leaves("<a> <![CDATA[ ]]> <!-- --></a>", &["a="]);
    assert_leaves("<a><![CDATA[]]]]></a>", &["a=]]"]);
    assert_leaves("<a> <!-- --> <b/> <?p?> </a>", &["a/b="]);
}

#[test]
fn references_are_decoded_once_and_no_others() {
    assert_leaves("<a b='&lt;&#x41;&#66;'>&amp;lt;&quot;&apos;&gt;</a>", &["a/@b=<AB", "a=&lt;\"'>"]);
    assert_leaves("<a>&b;&nbsp;</a>", &["a=&b;&nbsp;"]);
    assert_leaves("<a>&#32;</a>", &["a="]);
}

#[test]
fn namespaces_are_no_leaves() {
    let told = read_all(b"<s:e xmlns:s='http://schemas.xmlsoap.org/soap/envelope/' xmlns='urn:a:b'/>");
    assert_eq!(told, Told { leaves: vec!["s:e=".to_owned()], flags: vec![], is_read: true, capped: false });
    for name in ["x';--", "http://a/<", "javascript:alert(1)", "http://a/b;c", "http://a/'", "file:///a|b"] {
        let body = format!("<a xmlns:x=\"{name}\"/>");
        let found = read_all(body.as_bytes());
        assert_eq!(found.leaves, ["a="]);
        // `<` is no XML either, but is told all the same.
        assert_eq!(found.is_read, !name.contains('<'), "{name}");
        assert!(!found.flags.is_empty(), "{name}");
    }
    assert_leaves("<a xmlnsx='1' xmlns=''/>", &["a/@xmlnsx=1"]);
}

#[test]
fn document_types_are_told_and_not_obeyed() {
    let body = b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>";
    let told = read_all(body);
    assert_eq!((told.leaves, told.is_read), (vec!["a=&b;".to_owned()], true));
    assert_eq!(told.flags, ["DOCTYPE", "ENTITY"]);
    assert_eq!(evidence(body, Flag::Doctype), ["<!DOCTYPE a [<!ENTITY b \"c\">]>"]);
    for cut in ["<!DOCTYPE a [", "<!DOCTYPE a [<", "<!DOCTYPE a [<!", "<!DOCTYPE a [<!-"] {
        assert_eq!(evidence(cut.as_bytes(), Flag::Doctype), [cut]);
    }
    assert_eq!(evidence(body, Flag::Entity), ["<!ENTITY b \"c\">"]);

    assert_eq!(read_all(b"<!DOCTYPE a><a/>").flags, ["DOCTYPE"]);
    let external = b"<!DOCTYPE a PUBLIC '-//W3C//DTD X//EN' \"http://ex.com/]>\"><a/>";
    assert_eq!(evidence(external, Flag::Doctype).concat().len(), external.len() - 4);
    assert!(read_all(external).is_read);

    let many = b"<!DOCTYPE a SYSTEM \"a>[b\" [\n<!-- ]> <!ENTITY --><?p ]> ?>%pe;\n\
        <!ELEMENT a (#PCDATA)><!ATTLIST a b CDATA \"]>\"><!NOTATION n PUBLIC 'p'>\
        <!ENTITY % x SYSTEM 'file:///e'><!ENTITY y PUBLIC \"p\" '>'>\n ] ><a/>";
    assert!(read_all(many).is_read);
    assert_eq!(
        evidence(many, Flag::Entity),
        ["<!ENTITY % x SYSTEM 'file:///e'>", "<!ENTITY y PUBLIC \"p\" '>'>"]
    );
}

#[test]
fn what_is_no_leaf_is_scanned() {
    for body in [
        "<!DOCTYPE a [<!ENTITY b \"x|y\">]><a/>",
        "<!DOCTYPE a [<!ENTITY b \"x&#124;y\">]><a/>",
        "<!DOCTYPE a [<!ENTITY % b SYSTEM 'x|y'>]><a/>",
        "<!DOCTYPE a [<!ATTLIST a b CDATA 'x|y'>]><a/>",
        "<!DOCTYPE a [<!--x|y-->]><a/>",
        "<!DOCTYPE a [<?x |y?>]><a/>",
        "<!DOCTYPE a SYSTEM 'x|y'><a/>",
        "<!DOCTYPE a PUBLIC 'x|y' ''><a/>",
        "<!--x|y--><a/>",
        "<a><!--x|y--></a>",
        "<a/><?x |y?>",
    ] {
        let told = read_all(body.as_bytes());
        assert!(told.flags.contains(&"PIPE"), "{body}: {:?}", told.flags);
        assert!(told.is_read, "{body}");
    }
    // Leaves are scanned by who takes them.
    assert!(read_all(b"<a b='x|y'>x|y</a>").flags.is_empty());
}

#[test]
fn doctypes_that_are_none_are_told_too() {
    for (body, flags) in [
        ("<!doctype a><a/>", &["DOCTYPE"][..]),
        ("<a/><!DOCTYPE a>", &["DOCTYPE"]),
        ("<a><!DOCTYPE a [<!ENTITY b 'c'>]></a>", &["DOCTYPE", "ENTITY"]),
        ("<!DOCTYPE a><!DOCTYPE a><a/>", &["DOCTYPE"]),
        ("<!DOCTYPE><a/>", &["DOCTYPE"]),
        ("<!DOCTYPEa><a/>", &["DOCTYPE"]),
        ("<!DOCTYPE a <a/>", &["DOCTYPE"]),
        ("<!DOCTYPE a [<!entity b 'c'>]><a/>", &["DOCTYPE", "ENTITY"]),
        ("<!DOCTYPE a [<![INCLUDE[<!ENTITY b 'c'>]]>]><a/>", &["DOCTYPE", "ENTITY"]),
        ("<!DOCTYPE a [<!ELEMENT a <!ENTITY b 'c'>]><a/>", &["DOCTYPE", "ENTITY"]),
        ("<!DOCTYPE a [x <!ENTITY b 'c'>]><a/>", &["DOCTYPE", "ENTITY"]),
        ("<!DOCTYPE a [% b;<!FOO>]><a/>", &["DOCTYPE"]),
        ("<!DOCTYPE a [] x><a/>", &["DOCTYPE"]),
        ("<!DOCTYPE a [<!ENTITY b 'c", &["DOCTYPE", "ENTITY"]),
    ] {
        let told = read_all(body.as_bytes());
        assert_eq!(told.flags, flags, "{body}");
        assert!(!told.is_read, "{body}");
    }
}

#[test]
fn declarations_at_the_start() {
    for body in [
        "<?xml version='1.0'?><a/>",
        "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='yes' ?>\n<a/>",
        "<?xml version='1.1' encoding='ISO-8859-1'?><a/>",
        "<?xml version='1.0' standalone='no'?><a/>",
        "\u{FEFF}<a/>",
        "\n <!-- c --> <?p q?> <a/> <!-- d --><?p?>\n",
    ] {
        assert_eq!(read_all(body.as_bytes()).flags, [""; 0], "{body}");
        assert_leaves(body, &["a="]);
    }
    for body in [
        "<?xml?><a/>",
        "<?xml ?><a/>",
        "<?xml encoding='utf-8'?><a/>",
        "<?xml encoding='utf-8' version='1.0'?><a/>",
        "<?xml version='1.0'encoding='utf-8'?><a/>",
        "<?xml version='1.0' version='1.0'?><a/>",
        "<?xml version='1.0' a='b'?><a/>",
        "<?xml version=1.0?><a/>",
        " <?xml version='1.0'?><a/>",
        "<a/><?xml version='1.0'?>",
        "<?XML version='1.0'?><a/>",
        "<?p?q?><? p?><a/>",
        "<a><? ?></a>",
        "<a>\u{FEFF}</a>\u{FEFF}",
    ] {
        assert!(!read_all(body.as_bytes()).is_read, "{body}");
    }
}

#[test]
fn other_encodings_are_told() {
    let body = b"<?xml version='1.0' encoding='ibm037'?><a/>";
    let told = read_all(body);
    assert_eq!((told.flags, told.is_read), (vec!["BODYCHARSET"], true));
    assert_eq!(evidence(body, Flag::BodyCharset), ["ibm037"]);
    for body in [
        &b"\xFF\xFE<\0a\0/\0>\0"[..],
        b"\xFE\xFF\0<\0a\0/\0>",
        b"<\0a\0/\0>\0",
        b"\0<\0a\0/\0>",
        b"\0\0\0<",
        b"\x4C\x6F\xA7\x94\x93",
        b"+ADw-a/+AD4-",
    ] {
        let told = read_all(body);
        assert_eq!((told.leaves.len(), told.flags, told.is_read), (0, vec!["BODYCHARSET"], false));
    }
}

#[test]
fn bytes_outside_utf8_are_guarded() {
    let body = b"<a b='\xE9'>caf\xE9<!-- \xE9 --></a>";
    let told = read_all(body);
    assert_eq!(told.flags, ["BADUTF8"]);
    assert!(told.is_read);
    assert_eq!(told.leaves, ["a/@b=\u{FFFD}E9", "a=caf\u{FFFD}E9"]);
}

#[test]
fn what_is_not_well_formed() {
    for body in [
        "",
        " ",
        "\u{FEFF}",
        "x",
        "<",
        "<>",
        "< a/>",
        "<1/>",
        "<a",
        "<a>",
        "<a/",
        "<a/ >",
        "<a></b>",
        "<a></A>",
        "<a><b></a></b>",
        "<a></a></a>",
        "</a>",
        "<a/><b/>",
        "<a/>x",
        "x<a/>",
        "<a/>&#32;",
        "<a/><![CDATA[ ]]>",
        "<!-- a -->",
        "<a b/>",
        "<a b=/>",
        "<a b=c/>",
        "<a b='c/>",
        "<a b='c'd='e'/>",
        "<a 'b'/>",
        "<a =b/>",
        "<a b='<'/>",
        "<a b='c' b='d'/>",
        "<a b='1' c='2' d='3' b='4'/>",
        "<a><b",
        "<a> < </a>",
        "<a><</a>",
        "<a>]]></a>",
        "<a>&</a>",
        "<a>& b</a>",
        "<a>&b</a>",
        "<a>&#0;</a>",
        "<a b='&'/>",
        "<a>\x01</a>",
        "<a>\0</a>",
        "<a b='\x0B'/>",
        "<a><!-- -- --></a>",
        "<a><!--- ---></a>",
        "<a><!--></a>",
        "<a><!-- ></a>",
        "<a><!></a>",
        "<a><!b></a>",
        "<a><![cdata[x]]></a>",
        "<a><![CDATA[x]]</a>",
        "<a></a b='c'>",
        "<a></ a>",
        "<a></>",
        "{\"a\":1}",
    ] {
        let told = read_all(body.as_bytes());
        assert!(!told.is_read, "{body}");
    }
}

#[test]
fn leaves_are_told_up_to_the_fault_and_past_what_does_no_harm() {
    for (body, leaves) in [
        ("<a><b>1</b><c>2</d><e>3</e></a>", &["a/b=1", "a/c=2"][..]),
        ("<a x='1'>t", &["a/@x=1", "a=t"]),
        ("<a x='1' y='2", &["a/@x=1", "a/@y=2"]),
        ("<a><![CDATA[t", &["a=t"]),
        ("<a>1 & 2</a>", &["a=1 & 2"]),
        ("<a b='1' b='2'/>", &["a/@b=1", "a/@b=2"]),
        ("<a>1</a><b>2</b>", &["a=1", "b=2"]),
        ("<a>&#0;</a>", &["a=\0"]),
        ("x<a>1</a>y", &["a=1"]),
    ] {
        let told = read_all(body.as_bytes());
        assert_eq!(told.leaves, leaves, "{body}");
        assert!(!told.is_read, "{body}");
    }
}

#[test]
fn a_fault_before_a_cut_is_one() {
    for part in ["<!DOCTYPEr", "<!-- a--b", "<!-- a---", "<a>&7", "<?xml version?"] {
        assert!(!told(part.as_bytes(), true, LIMITS).is_read, "{part}");
    }
    for part in ["<!DOCTYPE", "<!-- a-", "<!-- a--", "<?xml version='1.0'?", "<a>&b", "<a>&#x"] {
        assert!(told(part.as_bytes(), true, LIMITS).is_read, "{part}");
    }
}

/// Everything there is in a document, so that a cut can go through any of it.
const RICH: &str = "\u{FEFF}<?xml version=\"1.0\" encoding='utf-8'?>\n<!-- c - d -->\
    <!DOCTYPE r PUBLIC 'p' \"s\" [<!-- e --><!ENTITY % x 'y'>%x;<!ELEMENT r ANY><?p q?>\n] >\n\
    <r xmlns:n='urn:x' a=\"1\" n:b = '2 &lt; &#x33;'>é€😀 &amp; <!-- u --> v<n:e/>w<?p q?>\
    <![CDATA[x ]] > ]]><m><k> </k></m></r>\n<!-- z -->\n";

#[test]
fn a_cut_is_no_fault_wherever_it_goes() {
    let body = RICH.as_bytes();
    let all = read_all(body);
    assert!(all.is_read);
    assert_eq!(all.leaves, ["r/@a=1", "r/@n:b=2 < 3", "r=é€😀 &  v", "r/n:e=", "r=wx ]] > ", "r/m/k="]);
    let whole_from = RICH.find("</r>").unwrap() + "</r>".len();
    for end in 0..body.len() {
        let part = &body[..end];
        let cut = told(part, true, LIMITS);
        assert!(cut.is_read, "{}", part.escape_ascii());
        assert!(!cut.flags.contains(&"BADUTF8"), "{}", part.escape_ascii());
        let uncut = read_all(part);
        let in_comment = RICH.rfind("<!-- z").is_some_and(|start| (start + 1..start + 10).contains(&end));
        assert_eq!(uncut.is_read, end >= whole_from && !in_comment, "{}", part.escape_ascii());
        if std::str::from_utf8(part).is_ok() {
            assert_eq!(uncut.leaves, cut.leaves);
        }
        assert!(cut.leaves.len() <= all.leaves.len());
    }
}

#[test]
fn a_cut_hides_no_other_fault() {
    for body in ["<a></b", "<a></b>", "<a b='c' b='d'>", "x<a>", "<a/><b>", "<a>& <b", "<a><!b", "<a b=c"] {
        let is_open_end = body == "<a></b";
        assert_eq!(told(body.as_bytes(), true, LIMITS).is_read, is_open_end, "{body}");
    }
}

#[test]
fn what_is_too_deep_is_one_leaf_and_is_scanned() {
    let limits = Limits { depth: 2, entities: 0 };
    let told = |body: &str, cut| told(body.as_bytes(), cut, limits);
    let found = told("<a><b x='1'>t<c y='|'><d>'</d></c>u<e/></b><f/></a>", false);
    assert_eq!(found.leaves, ["a/b/@x=1", "a/b=t", "a/b#<c y='|'><d>'</d></c>", "a/b=u", "a/b#<e/>", "a/f="]);
    assert_eq!((found.flags, found.is_read, found.capped), (vec!["PIPE", "QUOTE"], true, true));

    let found = told("<a><b><c>&lt;<d></d></c", true);
    assert_eq!(found.leaves, ["a/b#<c>&lt;<d></d></c"]);
    assert_eq!((found.flags, found.is_read, found.capped), (vec!["ANGLE"], true, true));

    let found = told("<a><b><c><d></c></d></b></a>", false);
    assert_eq!(found.leaves, ["a/b#<c><d>"]);
    assert_eq!((found.is_read, found.capped), (false, true));

    assert!(!told("<a><b>x</b><b y='1'/></a>", false).capped);
    let nothing = Limits { depth: 0, entities: 0 };
    assert_eq!(super::tests::told(b" <a>x</a>", false, nothing).leaves, ["#<a>x</a>"]);
}

#[test]
fn entities_beyond_the_limit_are_not_looked_at() {
    let body = b"<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d 'e'><!ENTITY f '|'>]><a/>";
    let told = told(body, false, Limits { depth: 9, entities: 2 });
    assert_eq!((told.flags, told.is_read, told.capped), (vec!["DOCTYPE", "ENTITY"], true, true));
    assert!(!read_all(body).capped);
}

#[test]
fn evidence_leads_back_through_references_and_joins() {
    with_context(|cx| {
        let body = b"<a b='x&lt;'>p<!-- c -->&#x27;q</a>";
        let mut leaves = Leaves::default();
        let mut flags = cx.flags();
        read(Text::request(body, true), false, LIMITS, cx, &mut leaves, &mut flags);
        assert_eq!(leaves.lines, ["a/@b=x<", "a=p'q"]);
        assert_eq!(leaves.origins, [Some(6..11), Some(13..31)]);
    });
}

/// Reads a body that is made for a size, checks that the work grows with the size alone, and returns what was read.
#[track_caller]
fn assert_linear(what: &str, size: usize, body: impl Fn(usize) -> String) -> Told {
    steps::assert_linear(what, size, |size| drop(read_all(body(size).as_bytes())));
    read_all(body(size).as_bytes())
}

#[test]
fn hostile_bodies_are_linear() {
    let laughs: String =
        (1..10).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10))).collect();
    let bomb = format!("<!DOCTYPE l [<!ENTITY l0 \"lol\">{laughs}]><l>&l9;</l>");
    let mut told = None;
    let steps = steps::of(|| told = Some(read_all(bomb.as_bytes())));
    assert!(steps < 10 * bomb.len(), "billion laughs: {steps} steps");
    let told = told.unwrap();
    assert_eq!((told.leaves, told.is_read), (vec!["l=&l9;".to_owned()], true));
    assert_eq!(told.flags, ["DOCTYPE", "ENTITY", "SEMICOLON"]);

    let entities = |many| format!("<!DOCTYPE a [{}]><a/>", "<!ENTITY a 'b'>".repeat(many));
    assert!(assert_linear("entities", 50_000, entities).capped);

    let nested = |many| "<a>".repeat(many) + &"</a>".repeat(many);
    let told = assert_linear("nested", 100_000, nested);
    assert_eq!((told.leaves.len(), told.is_read, told.capped), (1, true, true));

    let long = |many| format!("<a b='{}'/>", "x&lt;".repeat(many));
    assert_eq!(assert_linear("long attribute", 200_000, long).leaves[0].len(), 5 + 400_000);

    let distinct = |many| format!("<a{}/>", (0..many).map(|n| format!(" a{n}='1'")).collect::<String>());
    let told = assert_linear("attributes", 50_000, distinct);
    assert_eq!((told.leaves.len(), told.is_read), (50_000, true));
    let told = assert_linear("same attributes", 50_000, |many| format!("<a{}/>", " b='1'".repeat(many)));
    assert_eq!((told.leaves.len(), told.is_read), (50_000, false));

    let split = |many| format!("<a>{}</a>", "x<!---->".repeat(many));
    assert_eq!(assert_linear("split text", 100_000, split).leaves[0].len(), 2 + 100_000);
}

#[test]
fn hostile_pieces_are_linear() {
    for unit in [
        "<",
        "<a",
        "<a ",
        "<a b='",
        "<!--",
        "<![CDATA[",
        "<?",
        "<!DOCTYPE ",
        "<!DOCTYPE a [",
        "&",
        "&a",
        "&#",
        "]]>",
        "<a/>",
        "<a b='&",
        "</",
        "<!DOCTYPE a [<!ENTITY ",
        "<!DOCTYPE a [%a",
        "'\"",
        "\u{FEFF}",
    ] {
        assert_linear(unit, 200_000, |many| unit.repeat(many));
        assert_linear(unit, 200_000, |many| format!("<a>{}", unit.repeat(many)));
        assert_linear(unit, 200_000, |many| format!("<!DOCTYPE a [{}", unit.repeat(many)));
    }
}

#[test]
fn random_bodies_do_no_harm() {
    const PIECES: [&[u8]; 30] = [
        b"<",
        b">",
        b"/",
        b"a",
        b"b",
        b" ",
        b"=",
        b"'",
        b"\"",
        b"<a>",
        b"</a>",
        b"<a/>",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<?",
        b"?>",
        b"<!DOCTYPE a",
        b"[",
        b"]",
        b"<!ENTITY b 'c'>",
        b"%",
        b"&",
        b"&lt;",
        b"#x",
        b";",
        b"\xE9",
        b"\0",
        b"\xEF\xBB\xBF",
    ];
    let mut seed = 3_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    with_context(|cx| {
        let limits = Limits { depth: 1, entities: 1 };
        for _ in 0..20_000 {
            let mut body: Vec<u8> = if random() % 2 == 0 { b"<a>".to_vec() } else { Vec::new() };
            for _ in 0..random() % 16 {
                body.extend_from_slice(PIECES[random() % PIECES.len()]);
            }
            let body = cx.bump.alloc_slice_copy(&body);
            let uncut = told_in(cx, body, false, limits);
            let cut = told_in(cx, body, true, limits);
            assert!(!uncut.is_read || cut.is_read);
            if !body.ends_with(b"\xE9") {
                assert_eq!(uncut.leaves, cut.leaves);
            }
        }
        for _ in 0..20_000 {
            let body = cx.bump.alloc_slice_copy(RICH.as_bytes());
            for _ in 0..1 + random() % 4 {
                let at = random() % body.len();
                body[at] = random() as u8;
            }
            told_in(cx, body, false, LIMITS);
        }
    });
}
