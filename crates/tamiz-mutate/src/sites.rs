//! Where the library can be broken: the places of its source text that a mutant stands for.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Block, Expr, Lit, Pat, ReturnType, Signature, Stmt, Type};

use crate::Result;

/// Files that are generated, that a page alone has, or that only tests have.
const LEFT_OUT: [&str; 7] = [
    "lists.rs",
    "keywords/entries.rs",
    "keywords/no_prefilter.rs",
    "keywords/tables.rs",
    "keywords/table_compact.rs",
    "steps.rs",
    "steps/ordinary.rs",
];

/// The identity of a mutant, by what it says and not by where it is: a change elsewhere leaves it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) u64);

impl Key {
    fn of(parts: &[&str]) -> Self {
        // FNV-1a: short, and the same everywhere.
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        Key(hash)
    }

    /// Its place in the order of a sample.
    pub(crate) fn rank(self, seed: u64) -> u64 {
        let mut mixed = self.0 ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for shift in [33, 29, 32] {
            mixed = (mixed ^ (mixed >> shift)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        }
        mixed
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How the text of a place is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A condition, or an operand of `||`, never holds.
    Never,
    /// A condition, or an operand of `&&`, always holds.
    Always,
    /// A comparison says the opposite.
    Negated,
    /// A comparison of order has its bound moved by one.
    Moved,
    /// A number or a sum is one more.
    OneMore,
    /// A statement is left out.
    Dropped,
    /// An arm of a `match` is never taken.
    NoArm,
    /// A function returns this at once.
    Returns(&'static str),
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Never => "never holds",
            Kind::Always => "always holds",
            Kind::Negated => "is negated",
            Kind::Moved => "is moved by one",
            Kind::OneMore => "is one more",
            Kind::Dropped => "is left out",
            Kind::NoArm => "is never taken",
            Kind::Returns(_) => "returns at once",
        }
    }
}

/// One way to break one place.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) key: Key,
    /// Below `crates/tamiz/src/`.
    pub(crate) file: String,
    pub(crate) line: usize,
    /// The function that it is in.
    function: String,
    pub(crate) kind: Kind,
    /// The bytes of the file that it stands for.
    pub(crate) range: Range<usize>,
    /// The operator, where it is replaced.
    pub(crate) operator: Range<usize>,
    /// Its place among all of a file: what is around comes before what is inside.
    pub(crate) order: usize,
    text: String,
}

impl Mutant {
    /// The first part of its path.
    pub(crate) fn module(&self) -> &str {
        self.file.split_once('/').map_or(&*self.file, |(module, _)| module)
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mutant { key, file, line, function, kind, text, .. } = self;
        write!(f, "{key} {file}:{line} {function}: `{text}` {}", kind.name())?;
        match kind {
            Kind::Returns(value) => write!(f, " `{value}`"),
            _ => Ok(()),
        }
    }
}

/// The mutants of all files with `only` in their path.
pub(crate) fn of_library(source: &Path, only: &str) -> Result<Vec<Mutant>> {
    let mut files = Vec::new();
    collect(source, source, &mut files)?;
    files.sort();
    let mut all = Vec::new();
    for file in files.into_iter().filter(|file| file.contains(only)) {
        let text = fs::read_to_string(source.join(&file))?;
        all.extend(of_file(&file, &text).map_err(|error| format!("{file}: {error}"))?);
    }
    Ok(all)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if let Some(name) = path.strip_prefix(root)?.to_str()
            && name.ends_with(".rs")
            && !name.ends_with("tests.rs")
            && !LEFT_OUT.contains(&name)
        {
            files.push(name.to_owned());
        }
    }
    Ok(())
}

/// The mutants of one file.
pub(crate) fn of_file(file: &str, text: &str) -> Result<Vec<Mutant>> {
    let parsed = syn::parse_file(text)?;
    let mut finder = Finder { file, text, function: String::new(), found: Vec::new(), seen: BTreeMap::new() };
    finder.visit_file(&parsed);
    Ok(finder.found)
}

struct Finder<'t> {
    file: &'t str,
    text: &'t str,
    function: String,
    found: Vec<Mutant>,
    /// How often a mutant that says the same was there before.
    seen: BTreeMap<Key, usize>,
}

impl Finder<'_> {
    fn add(&mut self, kind: Kind, span: Span) {
        self.add_with(kind, span, 0..0);
    }

    fn add_with(&mut self, kind: Kind, span: Span, operator: Range<usize>) {
        let range = span.byte_range();
        let text = self.text.get(range.clone()).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let value = if let Kind::Returns(value) = kind { value } else { "" };
        let same = Key::of(&[self.file, &self.function, kind.name(), value, &text]);
        let nth = self.seen.entry(same).or_default();
        *nth += 1;
        let key = Key::of(&[&same.to_string(), &nth.to_string()]);
        let short: String = text.chars().take(100).collect();
        self.found.push(Mutant {
            key,
            file: self.file.to_owned(),
            line: span.start().line,
            function: self.function.clone(),
            kind,
            range,
            operator,
            order: self.found.len(),
            text: short,
        });
    }

    /// A condition: what it is made of, or as a whole.
    fn condition(&mut self, condition: &Expr, can_hold_always: bool) {
        match condition {
            Expr::Let(_) => self.visit_expr(condition),
            Expr::Binary(binary) if is_logical(&binary.op) => self.visit_expr(condition),
            Expr::Paren(paren) => self.condition(&paren.expr, can_hold_always),
            _ => {
                if can_hold_always {
                    self.add(Kind::Always, condition.span());
                }
                self.add(Kind::Never, condition.span());
                self.inside(condition);
            }
        }
    }

    /// One side of `&&` or `||`.
    fn operand(&mut self, operand: &Expr, kind: Kind) {
        match operand {
            Expr::Let(_) => self.visit_expr(operand),
            Expr::Binary(binary) if is_logical(&binary.op) => self.visit_expr(operand),
            _ => {
                self.add(kind, operand.span());
                self.inside(operand);
            }
        }
    }

    /// Visits the operands of a condition: a negation equals the condition always true or false.
    fn inside(&mut self, expression: &Expr) {
        match expression {
            Expr::Binary(binary) if is_comparison(&binary.op) => {
                self.moved(binary);
                self.visit_expr(&binary.left);
                self.visit_expr(&binary.right);
            }
            _ => self.visit_expr(expression),
        }
    }

    fn moved(&mut self, binary: &syn::ExprBinary) {
        if matches!(binary.op, BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)) {
            self.add_with(Kind::Moved, binary.span(), binary.op.span().byte_range());
        }
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        if signature.constness.is_some() {
            return;
        }
        let outer = std::mem::replace(&mut self.function, signature.ident.to_string());
        // The place behind the opening brace.
        let span = block.brace_token.span.open();
        for value in values_of(&signature.output) {
            self.add(Kind::Returns(value), span);
        }
        visit::visit_block(self, block);
        self.function = outer;
    }
}

/// The values that a function may return at once, by its type.
fn values_of(output: &ReturnType) -> &'static [&'static str] {
    let ReturnType::Type(_, returned) = output else { return &["()"] };
    let Type::Path(path) = &**returned else { return &[] };
    let Some(last) = path.path.segments.last() else { return &[] };
    match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "Option" => &["None"],
        "usize" | "u8" | "u16" | "u32" | "u64" => &["0"],
        "Vec" | "String" => &["Default::default()"],
        _ => &[],
    }
}

/// Functions whose calls change no output: they ask for room that a vector takes anyway, or give it back, or count steps and slow
/// paths in tests.
const WITHOUT_OUTPUT: [&str; 7] = [
    "with_capacity",
    "with_capacity_in",
    "reserve",
    "reserve_exact",
    "shrink_to",
    "steps::count",
    "steps::slow",
];

/// Returns whether an expression is a call that changes no output, or a buffer that is filled before it is read.
fn is_without_output(expression: &Expr) -> bool {
    match expression {
        Expr::Reference(buffer) => buffer.mutability.is_some() && matches!(*buffer.expr, Expr::Repeat(_)),
        Expr::Call(call) => match &*call.func {
            Expr::Path(function) => {
                let names: Vec<String> =
                    function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                let path = names.join("::");
                WITHOUT_OUTPUT.iter().any(|known| {
                    path.strip_suffix(known).is_some_and(|before| before.is_empty() || before.ends_with("::"))
                })
            }
            _ => false,
        },
        Expr::MethodCall(call) => WITHOUT_OUTPUT.iter().any(|known| call.method == known),
        _ => false,
    }
}

fn is_logical(operator: &BinOp) -> bool {
    matches!(operator, BinOp::And(_) | BinOp::Or(_))
}

fn is_comparison(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

/// Returns whether an item is for tests or for other targets alone.
fn is_left_out(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let condition = list.tokens.to_string();
                !condition.contains("toml") && !condition.contains("not (target_family")
                    || condition.contains("test")
            })
    })
}

/// Returns whether an arm takes whatever comes. A name in upper case is a constant or a variant.
fn takes_all(arm: &Arm) -> bool {
    let takes_all = match &arm.pat {
        Pat::Wild(_) => true,
        Pat::Ident(name) => {
            name.subpat.is_none() && !name.ident.to_string().starts_with(|c: char| c.is_uppercase())
        }
        _ => false,
    };
    arm.guard.is_none() && takes_all
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_left_out(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let is_debug = item
            .trait_
            .as_ref()
            .is_some_and(|(_, path, _)| path.segments.last().is_some_and(|last| last.ident == "Debug"));
        if !is_left_out(&item.attrs) && !is_debug {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_left_out(&item.attrs) {
            self.function(&item.sig, &item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_left_out(&item.attrs) {
            self.function(&item.sig, &item.block);
        }
    }

    // What is evaluated while compiling cannot be switched.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        // A closure in a static is called at run-time.
        if let Expr::Call(call) = &*item.expr {
            for argument in call.args.iter().filter(|argument| matches!(argument, Expr::Closure(_))) {
                self.visit_expr(argument);
            }
        }
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_if(&mut self, expression: &'ast syn::ExprIf) {
        self.condition(&expression.cond, true);
        self.visit_block(&expression.then_branch);
        if let Some((_, otherwise)) = &expression.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, expression: &'ast syn::ExprWhile) {
        self.condition(&expression.cond, false);
        self.visit_block(&expression.body);
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        self.visit_expr(&expression.expr);
        let has_rest = expression.arms.last().is_some_and(takes_all);
        for arm in &expression.arms {
            match &arm.guard {
                Some((_, guard)) => self.condition(guard, true),
                None if has_rest && !takes_all(arm) => self.add(Kind::NoArm, arm.pat.span()),
                None => {}
            }
            self.visit_expr(&arm.body);
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                let is_and = matches!(binary.op, BinOp::And(_));
                let kind = if is_and { Kind::Always } else { Kind::Never };
                self.operand(&binary.left, kind);
                self.operand(&binary.right, kind);
                return;
            }
            BinOp::Add(_) | BinOp::Sub(_) => self.add(Kind::OneMore, binary.span()),
            _ if is_comparison(&binary.op) => {
                self.add(Kind::Negated, binary.span());
                self.moved(binary);
            }
            _ => {}
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        if !is_without_output(expression) {
            visit::visit_expr(self, expression);
        }
    }

    fn visit_expr_lit(&mut self, literal: &'ast syn::ExprLit) {
        if let Lit::Int(_) = literal.lit {
            self.add(Kind::OneMore, literal.span());
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = statement
            && matches!(expression, Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) | Expr::Binary(_))
            && !is_without_output(expression)
        {
            self.add(Kind::Dropped, statement.span());
        }
        visit::visit_stmt(self, statement);
    }
}

#[cfg(test)]
mod test {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let found = of_file("x.rs", text).unwrap();
        found.iter().map(|mutant| format!("{} {}", mutant.text, mutant.kind.name())).collect()
    }

    #[test]
    fn places_are_found() {
        let found = of("fn f(a: u8) -> bool { if a < 3 && g() { h(a); } matches!(a, 1) }");
        let expected = [
            "{ returns at once",
            "{ returns at once",
            "a < 3 always holds",
            "a < 3 is moved by one",
            "3 is one more",
            "g() always holds",
            "h(a); is left out",
        ];
        assert_eq!(found, expected);
        let found = of("fn f(a: u8) -> &str { match a { 1 => \"\", 2 if a == 4 => \"\", _ => \"x\" } }");
        assert_eq!(found, ["1 is never taken", "a == 4 always holds", "a == 4 never holds", "4 is one more"]);
    }

    #[test]
    fn what_cannot_be_switched_is_left_out() {
        assert!(of("const A: usize = 1 + 2; const fn f() -> u8 { 1 }").is_empty());
        assert!(of("#[cfg(test)] mod tests { fn f() { g(1); } }").is_empty());
        assert_eq!(of("fn f() -> [u8; 4] { [g(); 4] }"), Vec::<String>::new());
    }

    #[test]
    fn calls_without_output_are_left_out() {
        let found = of(
            "fn f() -> &str { steps::count(1); crate::steps::count(n); steps::slow(\"a\"); v.reserve(3); count(1); }",
        );
        assert_eq!(found, ["count(1); is left out", "1 is one more"]);
        assert!(of("fn f() -> &str { let v = BumpVec::with_capacity_in(a + 1, b); }").is_empty());
        assert!(of("fn f() -> &str { c.encode_utf8(&mut [0; 4]) }").is_empty());
    }

    #[test]
    fn keys_do_not_depend_on_places() {
        let keys = |text: &str| {
            let found = of_file("x.rs", text).unwrap();
            found.iter().map(|mutant| mutant.key).collect::<Vec<_>>()
        };
        assert_eq!(keys("fn f() -> &str { g(1); g(1) }"), keys("//\n\nfn f() -> &str {\n  g(1);\n  g(1) }"));
        let twice = keys("fn f() -> &str { g(1); g(1) }");
        assert!(twice.iter().enumerate().all(|(at, key)| !twice[..at].contains(key)));
    }
}
