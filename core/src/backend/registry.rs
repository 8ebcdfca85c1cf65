#[cfg(feature = "blake3")]
use super::blake3;
use super::{Backend, Drng, Reader, SelfTestError};
use super::{ascon, free, placeholder, shake, sm3, turboshake};
use crate::symmetric::{Batch, Form, Function, Role};

/// Declares the registry of backends once. A new backend is one file and one line here; one that not every build has
/// says `if` which.
macro_rules! backends {
    ($($(#[$doc:meta])* $variant:ident($backend:expr, $type:ty) $(if $cfg:meta)?,)*) => {
        /// Any backend of the registry, chosen at run time.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum Any { $($(#[cfg($cfg)])? $(#[$doc])* $variant,)* }

        /// An output stream of any backend.
        #[derive(Clone, Debug)]
        pub enum AnyReader { $($(#[cfg($cfg)])? #[doc = "Of the backend of this name."] $variant(<$type as Backend>::Reader),)* }

        /// A generator of any backend.
        #[derive(Clone, Debug)]
        pub enum AnyDrng { $($(#[cfg($cfg)])? #[doc = "Of the backend of this name."] $variant(<$type as Backend>::Drng),)* }

        impl Any {
            /// Every backend of this build.
            pub const ALL: &[Self] = &[$($(#[cfg($cfg)])? Self::$variant,)*];
        }

        impl Reader for AnyReader {
            #[inline]
            fn read(&mut self, out: &mut [u8]) {
                match self { $($(#[cfg($cfg)])? Self::$variant(reader) => reader.read(out),)* }
            }
        }

        impl Drng for AnyDrng {
            fn name(&self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Self::$variant(drng) => drng.name(),)* }
            }

            fn function(&self) -> Function {
                match self { $($(#[cfg($cfg)])? Self::$variant(drng) => drng.function(),)* }
            }

            fn permutations(&self, out_bytes: usize) -> u64 {
                match self { $($(#[cfg($cfg)])? Self::$variant(drng) => drng.permutations(out_bytes),)* }
            }

            fn generate(&mut self, out: &mut [u8]) {
                match self { $($(#[cfg($cfg)])? Self::$variant(drng) => drng.generate(out),)* }
            }
        }

        impl Backend for Any {
            type Reader = AnyReader;
            type Drng = AnyDrng;

            fn name(&self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.name(),)* }
            }

            fn description(&self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.description(),)* }
            }

            fn code(&self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.code(),)* }
            }

            #[inline]
            fn function(&self, form: Form, role: Role) -> Function {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.function(form, role),)* }
            }

            #[inline]
            fn permutations(&self, form: Form, role: Role, in_bytes: usize, out_bytes: usize) -> u64 {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.permutations(form, role, in_bytes, out_bytes),)* }
            }

            #[inline]
            fn shared_permutations(&self, role: Role, prefix_bytes: usize) -> u64 {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.shared_permutations(role, prefix_bytes),)* }
            }

            fn self_test(&self) -> Result<(), SelfTestError> {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.self_test(),)* }
            }

            fn drng(&self, seed: &[u8]) -> Self::Drng {
                match self { $($(#[cfg($cfg)])? Self::$variant => AnyDrng::$variant($backend.drng(seed)),)* }
            }

            #[inline]
            fn hash(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.hash(role, input, out),)* }
            }

            #[inline]
            fn reader(&self, role: Role, input: &[&[u8]]) -> Self::Reader {
                match self { $($(#[cfg($cfg)])? Self::$variant => AnyReader::$variant($backend.reader(role, input)),)* }
            }

            #[inline]
            fn xof(&self, role: Role, input: &[&[u8]], out: &mut [u8]) {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.xof(role, input, out),)* }
            }

            #[inline]
            fn xof_batch(&self, role: Role, batch: &Batch<'_>, out: &mut [u8]) {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.xof_batch(role, batch, out),)* }
            }

            #[inline]
            fn readers(&self, role: Role, batch: &Batch<'_>, first: &mut [u8], mut each: impl FnMut(AnyReader)) {
                match self {
                    $($(#[cfg($cfg)])? Self::$variant => {
                        $backend.readers(role, batch, first, |reader| each(AnyReader::$variant(reader)));
                    })*
                }
            }

            #[inline]
            fn lanes(&self, role: Role) -> usize {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.lanes(role),)* }
            }

            #[inline]
            fn squeeze_block(&self, role: Role) -> usize {
                match self { $($(#[cfg($cfg)])? Self::$variant => $backend.squeeze_block(role),)* }
            }
        }
    };
}

backends! {
    /// The NGCC placeholder functions over the `sm3` crate, as submitted.
    Placeholder(placeholder::Placeholder, placeholder::Placeholder),
    /// The same functions, optimised.
    Sm3(sm3::Sm3, sm3::Sm3),
    /// SHA-3 and SHAKE.
    Shake(shake::Shake, shake::Shake),
    /// TurboSHAKE: SHAKE with half the rounds.
    TurboShake(turboshake::TurboShake, turboshake::TurboShake),
    /// Ascon-XOF128 for every role.
    Ascon(ascon::Ascon, ascon::Ascon),
    /// BLAKE3 for every role.
    Blake3(blake3::Blake3, blake3::Blake3) if feature = "blake3",
    /// A few operations a block, no hash, no security.
    Free(free::Free, free::Free),
}

impl Any {
    /// The backend of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|backend| backend.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_passes_its_self_test() {
        for backend in Any::ALL {
            assert_eq!(backend.self_test(), Ok(()));
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        for &backend in Any::ALL {
            assert_eq!(Any::by_name(backend.name()), Some(backend));
        }
        assert_eq!(Any::by_name("nothing"), None);
    }
}
