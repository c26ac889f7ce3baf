//! Bytes to a checked, immutable class model: class files, jars, JDK image, class path lookup.
