//! Natives of `java.lang.invoke`.

pub(crate) mod member_name;
pub(crate) mod method_handle;
pub(crate) mod method_handle_natives;
