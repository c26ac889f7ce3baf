//! A world that is the same everywhere: a clock that only virtual time moves, no environment, no
//! files, empty input, output kept in memory.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Change, Denial, Failure, Handle, Host, HostResult, Links, Metadata, OpenHow, Platform, Right,
    Space, errno,
};

/// 2024-01-01T00:00:00Z.
pub const FIXED_EPOCH_NANOS: i128 = 1_704_067_200_000_000_000;

/// What a program wrote; shared, so that it can be read while the machine owns the host.
#[derive(Debug, Clone, Default)]
pub struct Output {
    streams: Arc<Mutex<[Vec<u8>; 2]>>,
}

impl Output {
    /// What went to standard output so far.
    pub fn stdout(&self) -> Vec<u8> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)[0].clone()
    }

    /// What went to standard error so far.
    pub fn stderr(&self) -> Vec<u8> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)[1].clone()
    }

    fn append(&self, stream: usize, bytes: &[u8]) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams[stream].extend_from_slice(bytes);
    }
}

/// See the module text.
#[derive(Debug, Default)]
pub struct FixedHost {
    output: Output,
}

impl FixedHost {
    /// A fresh world.
    pub fn new() -> FixedHost {
        FixedHost::default()
    }

    /// Where the output goes.
    pub fn output(&self) -> Output {
        self.output.clone()
    }
}

const NO_FILE: Failure = Failure::Os(errno::ENOENT);

impl Host for FixedHost {
    fn epoch_nanos(&mut self) -> i128 {
        FIXED_EPOCH_NANOS
    }

    fn nano_time(&mut self) -> Option<i64> {
        None
    }

    fn sleep(&mut self, _: i64) {}

    fn platform(&mut self) -> Platform {
        Platform::fixed()
    }

    fn environment(&mut self) -> HostResult<Vec<(Vec<u8>, Vec<u8>)>> {
        Ok(Vec::new())
    }

    fn open(&mut self, _: &[u8], how: OpenHow) -> HostResult<Handle> {
        Err(if how.create { Failure::Os(errno::EROFS) } else { NO_FILE })
    }

    fn close(&mut self, _: Handle) -> HostResult<()> {
        Ok(())
    }

    fn read(&mut self, file: Handle, _: Option<u64>, _: &mut [u8]) -> HostResult<usize> {
        if file == Handle::STDIN { Ok(0) } else { Err(Failure::Os(errno::EBADF)) }
    }

    fn write(&mut self, file: Handle, _: Option<u64>, bytes: &[u8]) -> HostResult<usize> {
        match file {
            Handle::STDOUT => self.output.append(0, bytes),
            Handle::STDERR => self.output.append(1, bytes),
            _ => return Err(Failure::Os(errno::EBADF)),
        }
        Ok(bytes.len())
    }

    fn available(&mut self, _: Handle) -> HostResult<u64> {
        Ok(0)
    }

    fn set_size(&mut self, _: Handle, _: u64) -> HostResult<()> {
        Err(Failure::Os(errno::EINVAL))
    }

    fn sync(&mut self, _: Handle) -> HostResult<()> {
        Ok(())
    }

    fn is_terminal(&mut self, _: Handle) -> bool {
        false
    }

    fn handle_metadata(&mut self, file: Handle) -> HostResult<Metadata> {
        if file > Handle::STDERR {
            return Err(Failure::Os(errno::EBADF));
        }
        Ok(Metadata { mode: Metadata::CHARACTER_DEVICE | 0o620, ..Metadata::default() })
    }

    fn metadata(&mut self, _: &[u8], _: Links) -> HostResult<Metadata> {
        Err(NO_FILE)
    }

    fn access(&mut self, _: &[u8], _: i32) -> HostResult<()> {
        Err(NO_FILE)
    }

    fn list(&mut self, _: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        Err(NO_FILE)
    }

    fn real_path(&mut self, _: &[u8]) -> HostResult<Vec<u8>> {
        Err(NO_FILE)
    }

    fn read_link(&mut self, _: &[u8]) -> HostResult<Vec<u8>> {
        Err(NO_FILE)
    }

    fn space(&mut self, _: &[u8]) -> HostResult<Space> {
        Err(NO_FILE)
    }

    fn owner_name(&mut self, _: u32, _: bool) -> HostResult<Vec<u8>> {
        Err(NO_FILE)
    }

    fn owner_number(&mut self, _: &[u8], _: bool) -> HostResult<u32> {
        Err(NO_FILE)
    }

    fn change(&mut self, _: Change<'_>) -> HostResult<()> {
        Err(Failure::Os(errno::EROFS))
    }

    fn ask(&mut self, right: Right) -> HostResult<()> {
        Err(Failure::Denied(denial(right)))
    }
}

/// What a program is told that has no such right.
pub(super) fn denial(right: Right) -> Denial {
    let (action, option) = match right {
        Right::Network => ("use of the network", "--allow-net"),
        Right::Run => ("starting a program", "--allow-run"),
    };
    Denial { action: action.to_owned(), option: option.to_owned() }
}
