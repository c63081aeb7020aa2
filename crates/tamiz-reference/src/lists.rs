//! The closed lists (1.7).

/// The entries of a list: its lines without comments.
fn entries(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

macro_rules! list {
    ($name:ident, $file:literal) => {
        pub(crate) fn $name() -> impl Iterator<Item = &'static str> {
            entries(include_str!(concat!("../../../spec/lists/", $file)))
        }
    };
}

list!(address_headers, "address-headers.txt");
list!(auth_schemes, "auth-schemes.txt");
list!(best_fit_lines, "best-fit.txt");
list!(command_words, "command-words.txt");
list!(credential_prefixes, "credential-prefixes.txt");
list!(executable_extensions, "executable-extensions.txt");
list!(file_extensions, "file-extensions.txt");
list!(file_name_headers, "file-name-headers.txt");
list!(first_bytes, "first-bytes.txt");
list!(hop_by_hop_headers, "hop-by-hop-headers.txt");
list!(known_headers, "known-headers.txt");
list!(list_headers, "list-headers.txt");
list!(local_hosts, "local-hosts.txt");
list!(method_override_headers, "method-override-headers.txt");
list!(parameter_headers, "parameter-headers.txt");
list!(query_operators, "query-operators.txt");
list!(redirect_names, "redirect-names.txt");
list!(sensitive_names, "sensitive-names.txt");
list!(url_headers, "url-headers.txt");
list!(url_schemes, "url-schemes.txt");
list!(vocabulary_headers, "vocabulary-headers.txt");
list!(volatile_headers, "volatile-headers.txt");

/// The replacement of a character in `best-fit.txt`.
pub(crate) fn best_fit(c: char) -> Option<char> {
    best_fit_lines().find_map(|line| {
        let (code, to) = line.strip_prefix("U+")?.split_once(' ')?;
        (u32::from_str_radix(code, 16).ok()? == u32::from(c)).then(|| to.chars().next())?
    })
}

/// The mark of a header of `parameter-headers.txt`: none, or `brands`.
pub(crate) fn parameter_header(name: &str) -> Option<&'static str> {
    parameter_headers().find_map(|line| {
        let (entry, mark) = line.split_once(' ').unwrap_or((line, ""));
        (entry == name).then_some(mark)
    })
}
