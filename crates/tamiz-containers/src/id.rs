//! The name of a request, as its container has it.

use std::fmt;
use std::ops::Deref;

use serde::{Serialize, Serializer};
use serde_json::Number;

/// Names a request: text, or a number, which stays one in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Id {
    text: String,
    is_number: bool,
}

impl Id {
    /// Returns whether the container has a number.
    pub fn is_number(&self) -> bool {
        self.is_number
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Id { text, is_number: false }
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Number> for Id {
    fn from(number: Number) -> Self {
        Id { text: number.to_string(), is_number: true }
    }
}

impl Deref for Id {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.text.parse::<Number>() {
            Ok(number) if self.is_number => number.serialize(serializer),
            _ => serializer.serialize_str(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_numbers_and_text_stays_text() {
        for json in ["7", "-7", "18446744073709551615", "1.5", "1e300", "\"7\"", "\"\"", "\"007\"", "\"1e3\""]
        {
            let id: Id = match serde_json::from_str(json).unwrap() {
                serde_json::Value::Number(number) => number.into(),
                value => value.as_str().unwrap().into(),
            };
            let written: serde_json::Value = serde_json::to_value(&id).unwrap();
            assert_eq!(written, serde_json::from_str::<serde_json::Value>(json).unwrap());
            assert_eq!(id.is_number(), !json.starts_with('"'));
        }
    }
}
