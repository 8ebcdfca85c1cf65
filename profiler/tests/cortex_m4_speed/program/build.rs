//! Links by the script of `cortex-m-rt`, whose memory is that of the MPS2.

fn main() {
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rustc-link-arg=--nmagic");
    println!("cargo:rerun-if-changed=memory.x");
}
