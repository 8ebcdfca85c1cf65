//! A guest's shared object: the only place that calls C.
#![expect(unsafe_code, reason = "C functions are loaded and called, and call back")]

use super::manifest::FunctionEntry;
use super::{GUEST, GuestError, Package, glue};
use crate::runner::SuiteSpec;
use kemprof_core::backend::{Any, Backend};
use kemprof_core::kem::{Error, Lengths, Part};
use kemprof_core::symmetric::{Call, Form, Function, Output};
use kemprof_core::{Kem, Phase, Role, Sampling, Symmetric};
use std::cell::Cell;
use std::ffi::c_void;
use std::slice;

/// Bytes of a key or ciphertext at the most.
pub(super) const MOST: u64 = 64 << 20;

/// Calls of a function that does nothing whose time is taken together, and how often: the least disturbed counts.
const IDLE_CALLS: u16 = 256;
const IDLE_ROUNDS: u16 = 9;

type Operation2 = unsafe extern "C" fn(*mut u8, *mut u8) -> i32;
type Operation3 = unsafe extern "C" fn(*mut u8, *mut u8, *mut u8) -> i32;

/// As the glue declares it.
#[repr(C)]
struct Hooks {
    begins: extern "C" fn(u32, *const c_void, u64, *mut c_void, u64) -> i32,
    ends: extern "C" fn(),
    random: extern "C" fn(*mut c_void, usize),
}

/// The loaded object, and what is known of its functions.
#[derive(Debug)]
pub(super) struct Library {
    lengths: Lengths,
    keygen: Operation2,
    enc: Operation3,
    dec: Operation3,
    seed: unsafe extern "C" fn(*const u8, usize),
    idle: unsafe extern "C" fn(u64),
    functions: Vec<Known>,
    /// It stays loaded: what is above points into it.
    _object: libloading::Library,
}

/// A function of the guest's own.
#[derive(Clone, Copy, Debug)]
struct Known {
    function: Function,
    form: Form,
    role: Role,
    like: Option<Any>,
}

impl Known {
    fn of(entry: &FunctionEntry) -> Self {
        let role = Role::ALL.into_iter().find(|role| role.name() == entry.role).unwrap_or(Role::Other);
        let (form, name) = (glue::form(entry), &*entry.symbol.clone().leak());
        let like = entry.like.as_deref().and_then(Any::by_name);
        let unknown = Function { name, permutation: "call", absorb_rate: 1, squeeze_rate: 1 };
        let function = like.map_or(unknown, |backend| Function { name, ..backend.function(form, role) });
        Self { function, form, role, like }
    }

    /// The form of a call of which the output has so many bytes.
    fn form(&self, out_bytes: usize) -> Form {
        if let Form::Fixed(_) = self.form { Form::Fixed(out_bytes) } else { self.form }
    }
}

impl Library {
    pub(super) fn load(package: &Package) -> Result<Self, GuestError> {
        let failed = |said: &dyn ToString| GuestError::Load { name: package.name.clone(), said: said.to_string() };
        // SAFETY: the object was built from the user's own sources, which are to be run; loading runs its constructors, if it has any.
        let object = unsafe { libloading::Library::new(&package.object) }.map_err(|error| failed(&error))?;
        // SAFETY: the glue, which was compiled with it, defines these with these types; they are valid as long as the object is loaded,
        // which is as long as the result lives.
        let (lengths, keygen, enc, dec, seed, idle) = unsafe {
            let lengths: unsafe extern "C" fn(*mut u64) =
                *object.get(b"kemprof_lengths").map_err(|error| failed(&error))?;
            let hooks: *mut Hooks = *object.get(b"kemprof_hooks").map_err(|error| failed(&error))?;
            hooks.write(Hooks { begins, ends, random });
            let mut told = [0; 4];
            lengths(told.as_mut_ptr());
            (
                told,
                *object.get(b"kemprof_keygen").map_err(|error| failed(&error))?,
                *object.get(b"kemprof_enc").map_err(|error| failed(&error))?,
                *object.get(b"kemprof_dec").map_err(|error| failed(&error))?,
                *object.get(b"kemprof_seed").map_err(|error| failed(&error))?,
                *object.get(b"kemprof_idle").map_err(|error| failed(&error))?,
            )
        };
        for (part, bytes) in ["public key", "secret key", "ciphertext", "shared secret"].into_iter().zip(lengths) {
            if !(1..=MOST).contains(&bytes) {
                return Err(GuestError::Length { name: package.name.clone(), part, bytes });
            }
        }
        let [public_key, secret_key, ciphertext, shared_secret] = lengths.map(|bytes| bytes as usize);
        Ok(Self {
            lengths: Lengths { public_key, secret_key, ciphertext, shared_secret },
            keygen,
            enc,
            dec,
            seed,
            idle,
            functions: package.functions.iter().map(Known::of).collect(),
            _object: object,
        })
    }
}

/// Who hears of the guest's calls while an operation runs, whatever its type.
trait Listener {
    /// Whether the call was answered, and its own function need not run.
    fn begins(&mut self, function: usize, lengths: [u64; 2], buffers: Option<(&[u8], &mut [u8])>) -> bool;
    fn ends(&mut self);
    fn random(&mut self, out: &mut [u8]);
}

struct Listening<'a, S> {
    sym: &'a mut S,
    functions: &'a [Known],
    /// Watched calls that are open: only the outermost counts.
    depth: u32,
    output: Output,
}

impl<S: Symmetric> Listener for Listening<'_, S> {
    fn begins(&mut self, function: usize, lengths: [u64; 2], buffers: Option<(&[u8], &mut [u8])>) -> bool {
        let Some(known) = self.functions.get(function.wrapping_sub(1)).filter(|_| self.depth == 0) else {
            self.depth += 1;
            return false;
        };
        let Known { role, like, .. } = *known;
        let [in_bits, out_bits] = lengths;
        let (in_bytes, out_bytes) = (in_bits.div_ceil(8) as usize, out_bits.div_ceil(8) as usize);
        let form = known.form(out_bytes);
        match buffers.filter(|_| role != Role::Entropy && !self.sym.keeps_own()) {
            Some((input, out)) if matches!((form, out_bytes), (Form::Fixed(_), 32 | 64)) => {
                self.sym.hash(role, &[input], out);
                return true;
            }
            Some((input, out)) => {
                self.sym.xof(role, &[input], out);
                return true;
            }
            None => {}
        }
        self.depth += 1;
        let permutations = like.map_or(1, |backend| backend.permutations(form, role, in_bytes, out_bytes));
        self.output = Output { out_bytes, used_bits: out_bits as u32, permutations };
        let own = function as u8;
        let function = known.function;
        self.sym.foreign_begins(&Call { function, form, role, own, in_bytes, prefix_bytes: 0, lanes: 1 });
        false
    }

    fn ends(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.sym.foreign_ends(self.output);
        }
    }

    fn random(&mut self, out: &mut [u8]) {
        self.sym.entropy(out);
    }
}

thread_local! {
    /// Who listens. It is set while an operation runs, and by nobody else.
    static LISTENER: Cell<Option<*mut (dyn Listener + 'static)>> = const { Cell::new(None) };
}

/// Tells whoever listens.
fn tell<T>(what: impl FnOnce(&mut dyn Listener) -> T) -> Option<T> {
    // Taken out meanwhile, so that there is never a second reference.
    let listener = LISTENER.take()?;
    // SAFETY: `listening` put it there; it points to a value that outlives the call into C, which this is within.
    let told = what(unsafe { &mut *listener });
    LISTENER.set(Some(listener));
    Some(told)
}

extern "C" fn begins(function: u32, input: *const c_void, in_bits: u64, output: *mut c_void, out_bits: u64) -> i32 {
    let whole =
        in_bits.is_multiple_of(8) && out_bits.is_multiple_of(8) && in_bits.max(out_bits) <= 8 * MOST && out_bits > 0;
    let known = !output.is_null() && (!input.is_null() || in_bits == 0);
    let (in_bytes, out_bytes) = ((in_bits / 8) as usize, (out_bits / 8) as usize);
    let lengths = [in_bits, out_bits];
    let answered = if whole && known {
        // A function may write over its own input.
        let (start, end) = (input as usize, input as usize + in_bytes);
        let overlap = start < output as usize + out_bytes && (output as usize) < end;
        let input = match in_bytes {
            0 => &[][..],
            // SAFETY: the guest asks for so many bytes of its own to be read here.
            bytes => unsafe { slice::from_raw_parts(input.cast::<u8>(), bytes) },
        };
        let copy = if overlap { input.to_vec() } else { Vec::new() };
        let input = if overlap { &copy } else { input };
        // SAFETY: and for so many to be written here, which the input is not part of.
        let out = unsafe { slice::from_raw_parts_mut(output.cast::<u8>(), out_bytes) };
        tell(|listener| listener.begins(function as usize, lengths, Some((input, out))))
    } else {
        tell(|listener| listener.begins(function as usize, lengths, None))
    };
    i32::from(answered.unwrap_or(false))
}

extern "C" fn ends() {
    tell(|listener| listener.ends());
}

extern "C" fn random(out: *mut c_void, bytes: usize) {
    if !out.is_null() && bytes <= MOST as usize {
        // SAFETY: the guest asks for so many bytes at this address, which are its own.
        let out = unsafe { slice::from_raw_parts_mut(out.cast::<u8>(), bytes) };
        tell(|listener| listener.random(out));
    }
}

/// Runs `operation`, of which `sym` hears.
fn listening<S: Symmetric>(sym: &mut S, functions: &[Known], operation: impl FnOnce() -> i32) -> Result<(), Error> {
    let mut listening = Listening { sym, functions, depth: 0, output: Output::default() };
    let listener: *mut (dyn Listener + '_) = &raw mut listening;
    // SAFETY: only the lifetime changes; it is taken back below, before the value ends.
    let listener: *mut (dyn Listener + 'static) = unsafe { std::mem::transmute(listener) };
    let before = LISTENER.replace(Some(listener));
    let code = operation();
    LISTENER.set(before);
    if code == 0 { Ok(()) } else { Err(Error::Refused(code)) }
}

/// The guest of this process.
#[derive(Clone, Copy, Debug)]
pub struct GuestKem;

impl GuestKem {
    fn library() -> &'static Library {
        let library = GUEST.get().and_then(|guest| guest.library.as_ref());
        library.expect("a guest is loaded before it is run")
    }
}

impl Kem for GuestKem {
    fn name() -> &'static str {
        GUEST.get().map_or("", |guest| guest.name)
    }

    fn lengths() -> Lengths {
        Self::library().lengths
    }

    fn seed(seed: &[u8]) {
        let library = Self::library();
        // SAFETY: the function reads so many bytes.
        unsafe { (library.seed)(seed.as_ptr(), seed.len()) }
    }

    fn own_call_cost(read: &mut dyn FnMut() -> u64) -> f32 {
        let Library { functions, idle, .. } = Self::library();
        let mut sym = SuiteSpec::OWN.build(&[]);
        let mut took = || {
            let start = read();
            let ran = listening(&mut sym, functions, || {
                // SAFETY: the glue's own, which touches nothing but the hooks.
                unsafe { idle(IDLE_CALLS.into()) }
                0
            });
            ran.map_or(u64::MAX, |()| read().saturating_sub(start))
        };
        let least = (0..IDLE_ROUNDS).map(|_| took()).min().unwrap_or_default();
        least as f32 / f32::from(IDLE_CALLS)
    }

    fn keygen<S: Symmetric>(
        sym: &mut S,
        _: Sampling,
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Error> {
        let Library { lengths, functions, keygen, .. } = Self::library();
        Error::check_length(Part::PublicKey, lengths.public_key, public_key.len())?;
        Error::check_length(Part::SecretKey, lengths.secret_key, secret_key.len())?;
        sym.phase(Phase::Keygen, |sym| {
            // SAFETY: both buffers have the lengths that the guest tells.
            listening(sym, functions, || unsafe { keygen(public_key.as_mut_ptr(), secret_key.as_mut_ptr()) })
        })
    }

    fn encapsulate<S: Symmetric>(
        sym: &mut S,
        _: Sampling,
        public_key: &[u8],
        ciphertext: &mut [u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error> {
        let Library { lengths, functions, enc, .. } = Self::library();
        Error::check_length(Part::PublicKey, lengths.public_key, public_key.len())?;
        Error::check_length(Part::Ciphertext, lengths.ciphertext, ciphertext.len())?;
        Error::check_length(Part::SharedSecret, lengths.shared_secret, shared_secret.len())?;
        sym.phase(Phase::Enc, |sym| {
            let (ciphertext, secret) = (ciphertext.as_mut_ptr(), shared_secret.as_mut_ptr());
            // SAFETY: all buffers have the lengths that the guest tells; it only reads the key, whose parameter is not const in all APIs.
            listening(sym, functions, || unsafe { enc(ciphertext, secret, public_key.as_ptr().cast_mut()) })
        })
    }

    fn decapsulate<S: Symmetric>(
        sym: &mut S,
        _: Sampling,
        secret_key: &[u8],
        ciphertext: &[u8],
        shared_secret: &mut [u8],
    ) -> Result<(), Error> {
        let Library { lengths, functions, dec, .. } = Self::library();
        Error::check_length(Part::SecretKey, lengths.secret_key, secret_key.len())?;
        Error::check_length(Part::Ciphertext, lengths.ciphertext, ciphertext.len())?;
        Error::check_length(Part::SharedSecret, lengths.shared_secret, shared_secret.len())?;
        sym.phase(Phase::Dec, |sym| {
            let (ciphertext, secret_key) = (ciphertext.as_ptr().cast_mut(), secret_key.as_ptr().cast_mut());
            let secret = shared_secret.as_mut_ptr();
            // SAFETY: all buffers have the lengths that the guest tells; it only reads key and ciphertext.
            listening(sym, functions, || unsafe { dec(secret, ciphertext, secret_key) })
        })
    }
}
