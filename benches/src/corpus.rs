//! Files of requests: for each, its length as four bytes, the least first, then the request.

use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;

/// The file of the requests that are read before those of `file` are measured.
pub fn others(file: &str) -> PathBuf {
    PathBuf::from(format!("{file}.others"))
}

/// The bytes of a file with these requests.
pub fn write(requests: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for request in requests {
        out.extend_from_slice(&u32::try_from(request.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend_from_slice(request);
    }
    out
}

/// The requests of a file.
pub fn read(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut requests = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let (request, rest) = rest.split_at_checked(length).ok_or_else(|| invalid("a request is cut off"))?;
        requests.push(request);
        bytes = rest;
    }
    if bytes.is_empty() { Ok(requests) } else { Err(invalid("a length is cut off")) }
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let requests = vec![b"GET / HTTP/1.1\r\n\r\n".to_vec(), Vec::new(), vec![0xFF; 300]];
        let bytes = write(&requests);
        assert_eq!(read(&bytes).unwrap(), requests);
        assert!(read(&bytes[..bytes.len() - 1]).is_err());
        assert!(read(&bytes[..2]).is_err());
    }
}
