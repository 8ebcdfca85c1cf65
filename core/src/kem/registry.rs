use super::Kem;
use super::lwekem::{Lwekem128, Lwekem256, Lwekem512};
use super::mlkem::{Kyber512, Kyber768, Kyber1024, MlKem512, MlKem768, MlKem1024};

/// Something to do with an instance whose type is known only at run time.
pub trait Visitor {
    /// What it comes to.
    type Output;

    /// Does it for `K`.
    fn visit<K: Kem>(self) -> Self::Output;
}

/// Declares the registry of instances once. A new instance is its parameters and one line here.
macro_rules! instances {
    ($($kem:ty,)*) => {
        /// The names of all instances.
        pub const INSTANCES: &[&str] = &[$(<$kem>::NAME,)*];

        /// Does `visitor` for the instance of this name; `None` when there is no such instance.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if name == <$kem>::NAME {
                return Some(visitor.visit::<$kem>());
            })*
            None
        }
    };
}

instances! {
    Lwekem128,
    Lwekem256,
    Lwekem512,
    MlKem512,
    MlKem768,
    MlKem1024,
    Kyber512,
    Kyber768,
    Kyber1024,
}
