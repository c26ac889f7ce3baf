//! Error numbers of Linux and the texts that `strerror` gives for them. The JDK's classes for
//! Linux have these numbers built in, so they hold on every host.

/// `EPERM`.
pub const EPERM: i32 = 1;
/// `ENOENT`.
pub const ENOENT: i32 = 2;
/// `EINTR`.
pub const EINTR: i32 = 4;
/// `EIO`.
pub const EIO: i32 = 5;
/// `EBADF`.
pub const EBADF: i32 = 9;
/// `ECHILD`.
pub const ECHILD: i32 = 10;
/// `EAGAIN`.
pub const EAGAIN: i32 = 11;
/// `ENOMEM`.
pub const ENOMEM: i32 = 12;
/// `EACCES`.
pub const EACCES: i32 = 13;
/// `EEXIST`.
pub const EEXIST: i32 = 17;
/// `EXDEV`.
pub const EXDEV: i32 = 18;
/// `ENOTDIR`.
pub const ENOTDIR: i32 = 20;
/// `EISDIR`.
pub const EISDIR: i32 = 21;
/// `EINVAL`.
pub const EINVAL: i32 = 22;
/// `ENOSPC`.
pub const ENOSPC: i32 = 28;
/// `ESPIPE`.
pub const ESPIPE: i32 = 29;
/// `EROFS`.
pub const EROFS: i32 = 30;
/// `ENOSYS`.
pub const ENOSYS: i32 = 38;
/// `ENOTEMPTY`.
pub const ENOTEMPTY: i32 = 39;
/// `ELOOP`.
pub const ELOOP: i32 = 40;
/// `ENOTSUP`.
pub const ENOTSUP: i32 = 95;

/// `EPIPE`.
pub const EPIPE: i32 = 32;
/// `ERANGE`.
pub const ERANGE: i32 = 34;
/// `ENODATA`.
pub const ENODATA: i32 = 61;
/// `EPROTO`.
pub const EPROTO: i32 = 71;
/// `EAFNOSUPPORT`.
pub const EAFNOSUPPORT: i32 = 97;
/// `EADDRINUSE`.
pub const EADDRINUSE: i32 = 98;
/// `EADDRNOTAVAIL`.
pub const EADDRNOTAVAIL: i32 = 99;
/// `ECONNRESET`.
pub const ECONNRESET: i32 = 104;
/// `ENOTCONN`.
pub const ENOTCONN: i32 = 107;
/// `ETIMEDOUT`.
pub const ETIMEDOUT: i32 = 110;
/// `ECONNREFUSED`.
pub const ECONNREFUSED: i32 = 111;
/// `EHOSTUNREACH`.
pub const EHOSTUNREACH: i32 = 113;

/// The text of `strerror`.
pub fn text(number: i32) -> String {
    let known = match number {
        EPERM => "Operation not permitted",
        ENOENT => "No such file or directory",
        EINTR => "Interrupted system call",
        EIO => "Input/output error",
        6 => "No such device or address",
        7 => "Argument list too long",
        8 => "Exec format error",
        EBADF => "Bad file descriptor",
        ECHILD => "No child processes",
        EAGAIN => "Resource temporarily unavailable",
        ENOMEM => "Cannot allocate memory",
        EACCES => "Permission denied",
        14 => "Bad address",
        16 => "Device or resource busy",
        EEXIST => "File exists",
        EXDEV => "Invalid cross-device link",
        19 => "No such device",
        ENOTDIR => "Not a directory",
        EISDIR => "Is a directory",
        EINVAL => "Invalid argument",
        23 => "Too many open files in system",
        24 => "Too many open files",
        25 => "Inappropriate ioctl for device",
        26 => "Text file busy",
        27 => "File too large",
        ENOSPC => "No space left on device",
        ESPIPE => "Illegal seek",
        EROFS => "Read-only file system",
        31 => "Too many links",
        EPIPE => "Broken pipe",
        36 => "File name too long",
        ENOSYS => "Function not implemented",
        ENOTEMPTY => "Directory not empty",
        ELOOP => "Too many levels of symbolic links",
        ERANGE => "Numerical result out of range",
        ENODATA => "No data available",
        75 => "Value too large for defined data type",
        88 => "Socket operation on non-socket",
        89 => "Destination address required",
        90 => "Message too long",
        92 => "Protocol not available",
        ENOTSUP => "Operation not supported",
        EAFNOSUPPORT => "Address family not supported by protocol",
        EADDRINUSE => "Address already in use",
        EADDRNOTAVAIL => "Cannot assign requested address",
        101 => "Network is unreachable",
        103 => "Software caused connection abort",
        ECONNRESET => "Connection reset by peer",
        105 => "No buffer space available",
        106 => "Transport endpoint is already connected",
        ENOTCONN => "Transport endpoint is not connected",
        ETIMEDOUT => "Connection timed out",
        ECONNREFUSED => "Connection refused",
        EHOSTUNREACH => "No route to host",
        114 => "Operation already in progress",
        115 => "Operation now in progress",
        _ => return format!("Unknown error {number}"),
    };
    known.to_owned()
}
