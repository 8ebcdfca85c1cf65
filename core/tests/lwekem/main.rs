//! lwekem128, lwekem256 and lwekem512 from outside: known answers, rejection, calls, sampling.

mod calls;
mod kat;
mod overflow;
mod rejection;
mod run;
