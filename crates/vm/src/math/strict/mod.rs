//! `java.lang.StrictMath`: the results that fdlibm 5.3 gives, bit for bit.
//!
//! The Java specification names the C library fdlibm (Sun Microsystems, 1993) as the definition of these functions,
//! so the order of every operation is part of the contract: none may be reassociated, fused or "improved".
//! Each file follows the published algorithm of its functions with the published coefficients;
//! only the way the steps are cut into functions is ours.
//! NaN results are NaNs, but their payload and sign are not part of the contract.

mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod pio2;
mod power;
mod remainder;
mod root;
mod trigonometric;

pub use exponential::{exp, expm1};
pub use hyperbolic::{cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithm::{log, log1p, log10};
pub use power::pow;
pub(crate) use power::{Parity, parity};
pub use remainder::ieee_remainder;
pub use root::{cbrt, hypot, sqrt};
pub use trigonometric::{cos, sin, tan};
