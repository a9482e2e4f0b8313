//! A TLS proxy in front of an endpoint, with a certificate of its own.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A TLS proxy in front of an endpoint.
pub struct Front {
    port: u16,
    /// Path of its certificate.
    pub certificate: PathBuf,
}

impl Front {
    /// Starts a proxy for the endpoint at `behind`, with a certificate for `name`, which is written
    /// to `directory`.
    pub fn start(behind: u16, name: &str, directory: &Path) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let certificate = directory.join(format!("{name}.pem"));
        fs::write(&certificate, made.cert.pem()).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let config = Arc::clone(&config);
                // A client that does not trust it closes the connection.
                thread::spawn(move || serve(stream, config, behind));
            }
        });
        Self { port, certificate }
    }

    pub fn flag(&self) -> String {
        format!("https://localhost:{}/v1#fake", self.port)
    }
}

/// Forwards one request, and the response.
fn serve(stream: TcpStream, config: Arc<ServerConfig>, behind: u16) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    let mut behind = TcpStream::connect(("127.0.0.1", behind))?;
    let (mut buffer, mut answer) = ([0; 4096], Vec::new());
    // The requests of the tests end with their JSON.
    loop {
        let read = stream.read(&mut buffer)?;
        behind.write_all(&buffer[..read])?;
        if read == 0 || buffer[..read].ends_with(b"}") {
            break;
        }
    }
    behind.read_to_end(&mut answer)?;
    stream.write_all(&answer)?;
    stream.conn.send_close_notify();
    stream.flush()?;
    stream.sock.shutdown(Shutdown::Write)
}
