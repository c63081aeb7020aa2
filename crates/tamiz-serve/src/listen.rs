//! Where the service listens: an address, or a Unix socket.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;

/// A place to listen at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listen {
    /// `ADDRESS:PORT`.
    Tcp(SocketAddr),
    /// `unix:PATH`.
    Unix(PathBuf),
}

impl Default for Listen {
    /// The loopback interface: what this service is told is nobody else's business.
    fn default() -> Self {
        Listen::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)))
    }
}

/// The protocol of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// HAProxy's stream processing offload protocol.
    Spoe,
    /// Envoy's external processing: gRPC.
    #[cfg(feature = "ext-proc")]
    ExtProc,
}

impl Protocol {
    const fn name(self) -> &'static str {
        match self {
            Protocol::Http => "http",
            Protocol::Spoe => "spoe",
            #[cfg(feature = "ext-proc")]
            Protocol::ExtProc => "ext-proc",
        }
    }
}

/// A place where the service listens, and what it speaks there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub listen: Listen,
    /// The protocol.
    pub protocol: Protocol,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.listen, self.protocol) {
            (Listen::Tcp(address), protocol) => write!(f, "{}://{address}/", protocol.name()),
            (Listen::Unix(path), Protocol::Http) => write!(f, "unix:{}", path.display()),
            (Listen::Unix(path), protocol) => write!(f, "{}+unix:{}", protocol.name(), path.display()),
        }
    }
}

/// A text that names no place to listen at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAListen;

impl fmt::Display for NotAListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected ADDRESS:PORT, such as 127.0.0.1:8787 or [::1]:8787, or unix:PATH")
    }
}

impl std::error::Error for NotAListen {}

impl FromStr for Listen {
    type Err = NotAListen;

    fn from_str(text: &str) -> Result<Self, NotAListen> {
        match text.strip_prefix("unix:") {
            Some("") => Err(NotAListen),
            Some(path) => Ok(Listen::Unix(path.into())),
            None => text.parse().map(Listen::Tcp).map_err(|_| NotAListen),
        }
    }
}

/// An open socket.
pub(crate) enum Socket {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, Entry),
}

impl Socket {
    /// Opens it; a Unix socket gets `mode` for permissions.
    pub(crate) async fn open(listen: &Listen, mode: u32) -> io::Result<Socket> {
        match listen {
            Listen::Tcp(address) => Ok(Socket::Tcp(TcpListener::bind(address).await?)),
            #[cfg(unix)]
            Listen::Unix(path) => unix::open(path, mode),
            #[cfg(not(unix))]
            Listen::Unix(_) => {
                let _ = mode;
                Err(io::Error::new(io::ErrorKind::Unsupported, "there are no Unix sockets here"))
            }
        }
    }

    /// Where it is: the port is known now.
    pub(crate) fn place(&self) -> io::Result<Listen> {
        match self {
            Socket::Tcp(listener) => listener.local_addr().map(Listen::Tcp),
            #[cfg(unix)]
            Socket::Unix(_, entry) => Ok(Listen::Unix(entry.path.clone())),
        }
    }
}

#[cfg(unix)]
pub(crate) use unix::Entry;

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};

    use tokio::net::UnixListener;

    use super::Socket;

    /// The name of a socket in the file system; taken away when it is dropped, if it is still ours.
    pub(crate) struct Entry {
        pub(super) path: PathBuf,
        identity: (u64, u64),
    }

    impl Drop for Entry {
        fn drop(&mut self) {
            if fs::symlink_metadata(&self.path).is_ok_and(|there| (there.dev(), there.ino()) == self.identity)
            {
                // Whoever starts next finds out that nobody listens there.
                let _ = fs::remove_file(&self.path);
            }
        }
    }

    /// Opens a socket. It is made where nobody else can reach it, gets its permissions there, and is then put in its
    /// place: there is no moment at which more may connect than should, and one that was left behind is replaced.
    pub(super) fn open(path: &Path, mode: u32) -> io::Result<Socket> {
        check_place(path)?;
        let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let folder = path.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder)?;
        let made = (|| {
            let inside = folder.join("s");
            let listener = UnixListener::bind(&inside)?;
            fs::set_permissions(&inside, Permissions::from_mode(mode))?;
            let metadata = fs::symlink_metadata(&inside)?;
            fs::rename(&inside, path)?;
            let entry = Entry { path: path.to_owned(), identity: (metadata.dev(), metadata.ino()) };
            Ok(Socket::Unix(listener, entry))
        })();
        let _ = fs::remove_dir_all(&folder);
        made
    }

    /// Refuses a place where somebody listens, or where something else is.
    fn check_place(path: &Path) -> io::Result<()> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(there) if !there.file_type().is_socket() => {
                Err(io::Error::new(io::ErrorKind::AlreadyExists, "something that is no socket is there"))
            }
            Ok(_) => match UnixStream::connect(path) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
                Err(error) => Err(error),
                Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "somebody listens there already")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_shown() {
        for (text, shown) in [
            ("127.0.0.1:8787", "http://127.0.0.1:8787/"),
            ("[::1]:80", "http://[::1]:80/"),
            ("unix:/run/a b", "unix:/run/a b"),
        ] {
            let listen: Listen = text.parse().unwrap();
            assert_eq!(Place { listen, protocol: Protocol::Http }.to_string(), shown);
        }
        for text in ["", "8787", "localhost", "unix:", "127.0.0.1", "127.0.0.1:99999", "/run/x"] {
            assert_eq!(text.parse::<Listen>(), Err(NotAListen), "{text}");
        }
        let shown = |listen, protocol| Place { listen, protocol }.to_string();
        assert_eq!(shown(Listen::default(), Protocol::Http), "http://127.0.0.1:8787/");
        assert_eq!(shown(Listen::default(), Protocol::Spoe), "spoe://127.0.0.1:8787/");
        assert_eq!(shown(Listen::Unix("/s".into()), Protocol::Spoe), "spoe+unix:/s");
    }
}
