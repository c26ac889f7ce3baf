//! Extended attributes of real files: a part of the real host.

use std::ffi::{CStr, CString};
use std::io;

/// Sizes that the system lets nobody exceed.
const MOST_BYTES: usize = 64 << 10;

fn c_name(name: &[u8]) -> io::Result<CString> {
    CString::new(name).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// Calls something that fills a buffer and tells how much of it.
fn filled(call: impl FnOnce(*mut u8, usize) -> isize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; MOST_BYTES];
    let n = call(bytes.as_mut_ptr(), bytes.len());
    let n = usize::try_from(n).map_err(|_| io::Error::last_os_error())?;
    bytes.truncate(n);
    Ok(bytes)
}

/// The names of a file's attributes.
#[expect(unsafe_code, reason = "the standard library knows no extended attributes")]
pub(crate) fn names(path: &CStr) -> io::Result<Vec<Vec<u8>>> {
    // SAFETY: a text that ends in a zero byte, and a buffer with its size.
    let bytes = filled(|to, size| unsafe { libc::listxattr(path.as_ptr(), to.cast(), size) })?;
    let parts = bytes.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    Ok(parts.map(<[u8]>::to_vec).collect())
}

/// The value of an attribute.
#[expect(unsafe_code, reason = "the standard library knows no extended attributes")]
pub(crate) fn value(path: &CStr, name: &[u8]) -> io::Result<Vec<u8>> {
    let name = c_name(name)?;
    // SAFETY: texts that end in zero bytes, and a buffer with its size.
    filled(|to, size| unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), to.cast(), size) })
}

/// Sets an attribute, new or not.
#[expect(unsafe_code, reason = "the standard library knows no extended attributes")]
pub(crate) fn set(path: &CStr, name: &[u8], value: &[u8]) -> io::Result<()> {
    let name = c_name(name)?;
    let (path, bytes) = (path.as_ptr(), value.as_ptr().cast());
    // SAFETY: texts that end in zero bytes, and bytes with their number.
    let result = unsafe { libc::setxattr(path, name.as_ptr(), bytes, value.len(), 0) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Removes an attribute.
#[expect(unsafe_code, reason = "the standard library knows no extended attributes")]
pub(crate) fn remove(path: &CStr, name: &[u8]) -> io::Result<()> {
    let name = c_name(name)?;
    // SAFETY: texts that end in zero bytes.
    let result = unsafe { libc::removexattr(path.as_ptr(), name.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
