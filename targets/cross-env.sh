# Sourced by targets/setup and targets/cross-cargo: which Rust toolchain builds for which target on this machine.

cross_targets=(aarch64-unknown-linux-gnu thumbv7em-none-eabihf)
cross_name=kemprof-cross

# The rustup link of Debian's toolchain.
cross_linked() { echo "${RUSTUP_HOME:-$HOME/.rustup}/toolchains/$cross_name"; }

# Prints who builds for target $1: `rustup` (the toolchain in use has its library), `debian`, or `none`.
# KEMPROF_CROSS restricts the choice to one of the first two.
cross_toolchain() {
    local sysroot
    if [ "${KEMPROF_CROSS-}" != debian ] && sysroot=$(rustc --print sysroot 2>/dev/null) &&
        [ -d "$sysroot/lib/rustlib/$1/lib" ] && [ "$sysroot" != /usr ]; then
        echo rustup
    elif [ "${KEMPROF_CROSS-}" != rustup ] && cross_debian_has "$1"; then
        echo debian
    else
        echo none
    fi
}

# Whether Debian's packages can build for target $1: a ready library for AArch64, the sources of `core` for the M4.
cross_debian_has() {
    [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] || return 1
    ! command -v rustup >/dev/null || [ -e "$(cross_linked)" ] || return 1
    case $1 in
        thumb*) [ -d /usr/lib/rustlib/src/rust/library/core ] ;;
        *) compgen -G "/usr/lib/rustlib/$1/lib/libstd-*" >/dev/null ;;
    esac
}
