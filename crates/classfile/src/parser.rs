//! From bytes to a [`ClassFile`]: format checking (JVMS §4.8) in one pass.
//!
//! The order is that of the file: constants, flags and names, fields, methods, class attributes.
//! Each part has its own file below; the static and structural constraints on bytecode are not
//! looked at here but by the verifier.

use rustc_hash::FxHashSet;

use crate::class_file::ClassFile;
use crate::constant_pool::{Constant, ConstantPool};
use crate::error::ClassFormatError;
use crate::reader::Reader;
use crate::{ClassBytes, Span, access, mutf8};

mod class_attributes;
mod code;
mod constants;
mod flags;
mod members;

type Result<T> = std::result::Result<T, ClassFormatError>;

const MAGIC: u32 = 0xCAFE_BABE;
const MIN_MAJOR: u16 = 45;
/// Java 25.
const MAX_MAJOR: u16 = 69;
/// The minor version of classes that depend on preview features.
const PREVIEW_MINOR: u16 = 65_535;

/// What the parts of the parser need to know of the file around them.
struct Context<'a> {
    bytes: &'a [u8],
    pool: &'a ConstantPool,
    major: u16,
    minor: u16,
    is_interface: bool,
}

pub(crate) fn parse(bytes: ClassBytes) -> Result<ClassFile> {
    let view = bytes.clone();
    let mut reader = Reader::new(&view);
    let magic = reader.u4()?;
    if magic != MAGIC {
        return fail(0, format!("Incompatible magic value {magic}"));
    }
    let minor = reader.u2()?;
    let major = reader.u2()?;
    check_version(major, minor)?;
    if u32::try_from(view.len()).is_err() {
        return fail(0, "Class file is larger than 4 GiB");
    }

    let entries = constants::read(&mut reader, major)?;
    let pool = ConstantPool::new(bytes, entries);
    let constants_end = reader.pos();

    let declared_flags = reader.u2()?;
    let this_class = reader.u2()?;
    let Some(name) = pool.try_class_name(this_class) else {
        return fail(
            constants_end + 2,
            format!("Invalid this class index {this_class} in constant pool"),
        );
    };
    let name = mutf8::display(name);
    parse_rest(&view, reader, pool, Head { major, minor, declared_flags, this_class })
        .map_err(|error| error.in_class(name))
}

/// What stands before the superclass.
struct Head {
    major: u16,
    minor: u16,
    declared_flags: u16,
    this_class: u16,
}

fn parse_rest(
    view: &[u8],
    mut reader: Reader<'_>,
    pool: ConstantPool,
    head: Head,
) -> Result<ClassFile> {
    let Head { major, minor, declared_flags, this_class } = head;
    constants::check(&pool, major, declared_flags & access::MODULE != 0)?;
    let access_flags = flags::class_flags(declared_flags, major, reader.pos())?;
    let is_interface = access_flags & access::INTERFACE != 0;
    let is_module = access_flags & access::MODULE != 0;

    let name = pool.class_name(this_class);
    if name.starts_with(b"[") {
        return fail(reader.pos(), "Bad class name");
    }
    let super_class = super_class(&mut reader, &pool, name, is_interface, is_module)?;
    let interfaces = interfaces(&mut reader, &pool)?;

    let context = Context { bytes: view, pool: &pool, major, minor, is_interface };
    let fields = members::fields(&context, &mut reader)?;
    let methods = members::methods(&context, &mut reader)?;
    if is_module && !(fields.is_empty() && methods.is_empty() && interfaces.is_empty()) {
        return fail(reader.pos(), "A module has fields, methods or interfaces");
    }
    let attributes = class_attributes::read(&context, &mut reader, this_class)?;
    if !reader.is_at_end() {
        return fail(reader.pos(), "Extra bytes at the end of class file");
    }
    Ok(ClassFile {
        major,
        minor,
        access_flags,
        this_class,
        super_class,
        interfaces,
        constant_pool: pool,
        fields,
        methods,
        attributes,
    })
}

fn check_version(major: u16, minor: u16) -> Result<()> {
    if !(MIN_MAJOR..=MAX_MAJOR).contains(&major) {
        let newest = MAX_MAJOR;
        return Err(ClassFormatError::version(
            major,
            minor,
            &format!("this runtime recognizes class file versions {MIN_MAJOR}.0 to {newest}.0"),
        ));
    }
    if 56 <= major && minor != 0 && minor != PREVIEW_MINOR {
        return Err(ClassFormatError::version(major, minor, "invalid non-zero minor version"));
    }
    Ok(())
}

fn super_class(
    reader: &mut Reader<'_>,
    pool: &ConstantPool,
    name: &[u8],
    is_interface: bool,
    is_module: bool,
) -> Result<u16> {
    let at = reader.pos();
    let super_class = reader.u2()?;
    if super_class == 0 {
        if name == b"java/lang/Object" || is_module {
            return Ok(0);
        }
        return fail(at, "Invalid superclass index 0");
    }
    if is_module {
        return fail(at, "A module has a superclass");
    }
    match pool.try_class_name(super_class) {
        None => fail(at, format!("Invalid superclass index {super_class} in constant pool")),
        Some(super_name) if super_name.starts_with(b"[") => fail(at, "Bad superclass name"),
        Some(_) if name == b"java/lang/Object" => fail(at, "java.lang.Object has a superclass"),
        Some(super_name) if is_interface && super_name != b"java/lang/Object" => {
            fail(at, "Interfaces must have java.lang.Object as superclass")
        }
        Some(_) => Ok(super_class),
    }
}

fn interfaces(reader: &mut Reader<'_>, pool: &ConstantPool) -> Result<Box<[u16]>> {
    let n_interfaces = usize::from(reader.u2()?);
    let mut interfaces = Vec::with_capacity(n_interfaces.min(reader.remaining() / 2));
    let mut names = FxHashSet::default();
    for _ in 0..n_interfaces {
        let at = reader.pos();
        let interface = reader.u2()?;
        match pool.try_class_name(interface) {
            None => {
                return fail(at, "Interface name has bad constant pool index");
            }
            Some(name) if name.starts_with(b"[") => return fail(at, "Bad interface name"),
            Some(name) if 1 < n_interfaces && !names.insert(name) => {
                return fail(at, format!("Duplicate interface name \"{}\"", mutf8::display(name)));
            }
            Some(_) => interfaces.push(interface),
        }
    }
    Ok(interfaces.into())
}

/// One attribute: its name and where its content lies. The reader moves behind it.
fn attribute<'a>(context: &Context<'a>, reader: &mut Reader<'_>) -> Result<(&'a [u8], Span)> {
    let at = reader.pos();
    let name_idx = reader.u2()?;
    let Some(name) = context.pool.try_utf8(name_idx) else {
        return fail(at, format!("Invalid attribute name index {name_idx} in constant pool"));
    };
    let len = reader.u4()? as usize;
    Ok((name, reader.span(len)?))
}

/// Notes an attribute that may stand only once.
fn once<T>(place: &mut Option<T>, value: T, name: &[u8], at: Span) -> Result<()> {
    if place.replace(value).is_some() {
        return fail(at.start as usize, format!("Multiple {} attributes", mutf8::display(name)));
    }
    Ok(())
}

/// The content of an attribute that is one index of a `Utf8`.
fn utf8_index(context: &Context<'_>, span: Span, attribute: &str) -> Result<u16> {
    let idx = single_index(context, span, attribute)?;
    if context.pool.try_utf8(idx).is_none() {
        return fail(
            span.start as usize,
            format!("Invalid constant pool index {idx} in {attribute} attribute"),
        );
    }
    Ok(idx)
}

fn single_index(context: &Context<'_>, span: Span, attribute: &str) -> Result<u16> {
    if span.len != 2 {
        return fail(
            span.start as usize,
            format!("Wrong size {} for {attribute} attribute", span.len),
        );
    }
    Reader::over(context.bytes, span).u2()
}

/// A count, then that many entries of `entry_len` bytes, and nothing behind them.
fn check_table(context: &Context<'_>, span: Span, entry_len: usize, attribute: &str) -> Result<()> {
    let mut reader = Reader::over(context.bytes, span);
    let n_entries = usize::from(reader.u2()?);
    if reader.remaining() != n_entries * entry_len {
        return fail(span.start as usize, format!("Wrong {attribute} attribute length"));
    }
    Ok(())
}

/// The indices of a table whose entries are all of `Class`.
fn class_table(context: &Context<'_>, span: Span, attribute: &str) -> Result<Box<[u16]>> {
    check_table(context, span, 2, attribute)?;
    let mut reader = Reader::over(context.bytes, span);
    let n_entries = reader.u2()?;
    let mut classes = Vec::with_capacity(usize::from(n_entries));
    for _ in 0..n_entries {
        let at = reader.pos();
        let idx = reader.u2()?;
        if !matches!(context.pool.get(idx), Some(Constant::Class { .. })) {
            return fail(at, format!("{attribute} attribute has bad class index {idx}"));
        }
        classes.push(idx);
    }
    Ok(classes.into())
}

#[cold]
fn fail<T>(at: usize, message: impl Into<std::borrow::Cow<'static, str>>) -> Result<T> {
    Err(ClassFormatError::at(at, message))
}
