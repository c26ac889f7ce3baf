//! Keeps boot images in the user's cache folder, so that the class library boots once per JDK and
//! build of this program and not on every start. All of it may be deleted at any time.

use std::env;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, SystemTime};

use vm::image::{ImageStore, name_of};

use crate::jdk::Jdk;

/// Images that are kept; the ones used longest ago go.
const MOST_IMAGES: usize = 12;
/// What another process left half-written goes after this time.
const PATIENCE: Duration = Duration::from_secs(3600);

/// A folder with one file per image.
pub(crate) struct CacheFolder {
    folder: PathBuf,
}

impl CacheFolder {
    /// The folder for caches as the XDG base directory specification has it; `None` where the user
    /// has no home.
    pub(crate) fn of_user() -> Option<CacheFolder> {
        let absolute =
            |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches =
            absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(CacheFolder { folder: caches.join("nonpareil") })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("boot-{}.image", name_of(key)))
    }

    fn write(&self, key: &str, image: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let path = self.path(key);
        // Another process may do the same: each writes its own file, the last one to finish stays.
        let own = path.with_extension(format!("{}.tmp", process::id()));
        let written = fs::write(&own, image).and_then(|()| fs::rename(&own, &path));
        if written.is_err() {
            let _ = fs::remove_file(&own);
        }
        written
    }

    fn tidy(&self) -> io::Result<()> {
        let now = SystemTime::now();
        let mut images = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let Some(age) = fs::metadata(&path).ok().and_then(|data| age(&data, now)) else {
                continue;
            };
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("image") => images.push((age, path)),
                Some("tmp") if age > PATIENCE => fs::remove_file(&path)?,
                _ => {}
            }
        }
        images.sort();
        for (_, path) in images.iter().skip(MOST_IMAGES) {
            fs::remove_file(path)?;
        }
        Ok(())
    }
}

fn age(data: &Metadata, now: SystemTime) -> Option<Duration> {
    let used = data.accessed().into_iter().chain(data.modified()).max()?;
    now.duration_since(used).ok()
}

impl ImageStore for CacheFolder {
    fn open(&self, key: &str) -> Option<File> {
        File::open(self.path(key)).ok()
    }

    fn save(&self, key: &str, image: &[u8]) {
        // Without a place for it the next start boots again, which is all.
        if self.write(key, image).is_ok() {
            let _ = self.tidy();
        }
    }
}

/// Tells builds of this program and of the JDK apart.
pub(crate) fn origin(jdk: &Jdk) -> String {
    let program = env::current_exe().map(|path| stamp(&path)).unwrap_or_default();
    let library = stamp(&jdk.home.join("lib/modules"));
    let release = fs::read_to_string(jdk.home.join("release")).unwrap_or_default();
    format!("{} {program} {library} {release}", env!("CARGO_PKG_VERSION"))
}

/// Path, size and time of a file.
fn stamp(path: &Path) -> String {
    let data = fs::metadata(path);
    let size = data.as_ref().map_or(0, Metadata::len);
    let time = data.and_then(|data| data.modified()).ok();
    let time = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    format!("{} {size} {:?}", path.display(), time.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn save_keeps_the_newest_images_and_leaves_nothing_half_written() {
        let folder = env::temp_dir().join(format!("nonpareil-cache-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        let cache = CacheFolder { folder: folder.clone() };
        assert!(cache.open("key 0").is_none());
        for idx in 0..MOST_IMAGES + 3 {
            cache.save(&format!("key {idx}"), format!("image {idx}").as_bytes());
        }
        assert_eq!(fs::read_dir(&folder).expect("made").count(), MOST_IMAGES);
        let last = MOST_IMAGES + 2;
        let mut text = String::new();
        let file = cache.open(&format!("key {last}"));
        file.expect("kept").read_to_string(&mut text).expect("readable");
        assert_eq!(text, format!("image {last}"));
        fs::remove_dir_all(&folder).expect("ours");
    }
}
