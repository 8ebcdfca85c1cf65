//! Kernels compiled twice, the better one chosen at run time.
//!
//! A kernel is a safe function whose loops the compiler turns into vector instructions. Baseline x86-64 has vectors of
//! 128 bits; the same source compiled with AVX2 has 256 and is about three times as fast. AArch64 has NEON in its
//! baseline and Cortex-M4 has no vectors: there a kernel is compiled once.

/// Whether the processor has AVX2, and POPCNT as all that have. Asked once, then remembered.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(in crate::kem) fn wide_vectors() -> bool {
    cpufeatures::new!(avx2, "avx2", "popcnt");
    #[cfg(test)]
    if super::testing::baseline() {
        return false;
    }
    avx2::get()
}

/// Declares kernels: functions without secret-dependent branches on arrays, to be compiled with AVX2 too.
///
/// A kernel may be generic over one type, written `type P: Bound`, and constants.
///
/// What a kernel calls must be `#[inline(always)]`, or it stays compiled for the baseline.
macro_rules! vectorised {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident $(<$(type $parameter:ident: $bound:path,)? $(const $constant:ident: $kind:ty),+>)? ($($argument:ident: $type:ty),* $(,)?)
        $(-> $output:ty)? $body:block
    )*) => {$(
        $(#[$attribute])*
        $visibility fn $name $(<$($parameter: $bound,)? $(const $constant: $kind),+>)? ($($argument: $type),*) $(-> $output)? {
            #[inline(always)]
            fn body $(<$($parameter: $bound,)? $(const $constant: $kind),+>)? ($($argument: $type),*) $(-> $output)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2 $(<$($parameter: $bound,)? $(const $constant: $kind),+>)? ($($argument: $type),*) $(-> $output)? {
                    body $(::<$($parameter,)? $($constant),+>)? ($($argument),*)
                }

                if $crate::kem::lattice::wide_vectors() {
                    // SAFETY: the processor has AVX2: it was just asked.
                    #[expect(unsafe_code, reason = "the processor was asked for the feature that the function needs")]
                    return unsafe { avx2 $(::<$($parameter,)? $($constant),+>)? ($($argument),*) };
                }
            }
            body $(::<$($parameter,)? $($constant),+>)? ($($argument),*)
        }
    )*};
}
pub(in crate::kem) use vectorised;
