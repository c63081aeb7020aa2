//! The meaning of each class of words: `KW` is one flag, but `KW:sql` and `KW:ldap` are different findings.

use super::Flag;

/// A class of words, what a request with one of them holds, and why that matters.
struct Class {
    word: &'static str,
    meaning: &'static str,
    why: &'static str,
}

/// The classes of `spec/words/`, by name.
const CLASSES: [Class; 11] = [
    Class {
        word: "file",
        meaning: "The name of a file that attackers read: of the system, of configuration, of keys, of version control.",
        why: "Path traversal and file inclusion ask for it, and scanners try it on every site.",
    },
    Class {
        word: "java",
        meaning: "A class, method or expression of Java: OGNL, SpEL, gadgets of serialised objects.",
        why: "Frameworks that evaluate expressions or read objects back run it on the server.",
    },
    Class {
        word: "jndi",
        meaning: "A JNDI lookup, or an expression that hides one.",
        why: "A logger that resolves lookups loads code from the host it names (Log4Shell).",
    },
    Class {
        word: "js",
        meaning: "A function, object or event handler of JavaScript, or a tag that runs it.",
        why: "Shown on a page, it runs in the browser of whoever looks at it; on a JavaScript server, there.",
    },
    Class {
        word: "ldap",
        meaning: "A filter or attribute of LDAP.",
        why: "Put into a filter, it changes whom the directory finds.",
    },
    Class {
        word: "nosql",
        meaning: "An operator or function of a document database.",
        why: "It turns a value into a condition, or runs as code of the database.",
    },
    Class {
        word: "php",
        meaning: "A function, variable or stream wrapper of PHP.",
        why: "Code that is evaluated, included or called by name runs it on the server.",
    },
    Class {
        word: "shell",
        meaning: "A command with its arguments, a path of a program, or a construct of a shell.",
        why: "A program that builds a command line from it runs the attacker's command.",
    },
    Class {
        word: "sql",
        meaning: "A statement, function or condition of SQL.",
        why: "Put into a query, it reads or changes what the query was not meant to.",
    },
    Class {
        word: "ssti",
        meaning: "An expression of a template engine.",
        why: "Rendered as a template, it is evaluated on the server.",
    },
    Class {
        word: "xxe",
        meaning: "A declaration of an XML document type, entity or inclusion.",
        why: "A parser that obeys it reads files, asks other hosts or fills its memory.",
    },
];

impl Flag {
    /// The meaning with this parameter, in a sentence: for `KW`, that of the class.
    pub fn meaning_of(self, parameter: &str) -> &'static str {
        class(self, parameter).map_or(self.meaning(), |class| class.meaning)
    }

    /// Why that matters, in a sentence.
    pub fn why_of(self, parameter: &str) -> &'static str {
        class(self, parameter).map_or(self.why(), |class| class.why)
    }

    /// The parameters that have a text of their own, by name.
    pub fn classes(self) -> impl Iterator<Item = &'static str> {
        CLASSES.iter().filter(move |_| self == Flag::Kw).map(|class| class.word)
    }
}

fn class(flag: Flag, parameter: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| flag == Flag::Kw && class.word == parameter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_words_has_its_text() {
        let classes: Vec<&str> = Flag::Kw.classes().collect();
        assert!(classes.iter().copied().eq(crate::keywords::CLASSES));
        for class in classes {
            assert_ne!(Flag::Kw.meaning_of(class), Flag::Kw.meaning());
            assert!(Flag::Kw.meaning().contains(&format!("`{class}`")), "{class}");
        }
        assert_eq!(Flag::Kw.meaning_of("nosuch"), Flag::Kw.meaning());
        assert_eq!(Flag::Quote.meaning_of("sql"), Flag::Quote.meaning());
        assert_eq!(Flag::Quote.classes().count(), 0);
    }
}
