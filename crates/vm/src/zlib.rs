//! Compression as `java.util.zip` sees it: the formats of RFC 1950 and 1951 with the observable
//! behaviour of zlib: which bytes are consumed and produced by each call, and what is said about
//! broken data. All state is plain data, so that marks can keep it.

pub mod checksum;
pub mod deflate;
pub mod huffman;
pub mod inflate;
pub mod streams;
