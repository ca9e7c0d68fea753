//! A task whose stack is too small: a failure with a name, instead of the end of the process.
//!
//! The page below each stack cannot be touched. When checked code does, the signal's handler lets its coroutine return at
//! once, as if its code had ended; what was on the stack is forgotten. On Linux, on x86-64 and AArch64; elsewhere the
//! process ends, as it does when the stack of a thread is too small.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) use signal::{install, watch};

/// Not possible here.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn install() {}

/// Not possible here.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn watch<T>(_trap: T, _stack: super::coroutine::StackRange) {}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[expect(unsafe_code, reason = "a signal handler")]
mod signal {
    use crate::runtime::coroutine::StackRange;
    use crate::runtime::memory::allocator;
    use corosensei::trap::CoroutineTrapHandler;
    use std::cell::Cell;
    use std::sync::OnceLock;

    type Trap = CoroutineTrapHandler<()>;

    /// The pages below a stack that are watched: the stack probes of the compiler touch each.
    const GUARD: usize = 4096;

    thread_local! {
        static RUNNING: Cell<Option<(Trap, StackRange)>> = const { Cell::new(None) };
    }

    /// What handled the signals before: of a bad address, and of a bad access.
    static BEFORE: OnceLock<[libc::sigaction; 2]> = OnceLock::new();
    const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// Watches the stack of the coroutine that is about to run, until this is dropped.
    pub(in crate::runtime) struct Watched;

    #[inline]
    pub(in crate::runtime) fn watch(trap: Trap, stack: StackRange) -> Watched {
        RUNNING.set(Some((trap, stack)));
        Watched
    }

    impl Drop for Watched {
        fn drop(&mut self) {
            RUNNING.set(None);
        }
    }

    /// Puts the handler in, once.
    pub(in crate::runtime) fn install() {
        BEFORE.get_or_init(|| {
            SIGNALS.map(|signal| {
                // SAFETY: all fields of both may be zero; the handler is one that takes three arguments, as the flag says,
                // and the threads of std have a stack for it.
                unsafe {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    let mut before: libc::sigaction = std::mem::zeroed();
                    action.sa_sigaction = handle as *const () as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                    libc::sigaction(signal, &raw const action, &raw mut before);
                    before
                }
            })
        });
    }

    unsafe extern "C" fn handle(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: the system passes what the flags of `install` ask for.
        let (address, context) =
            unsafe { ((*info).si_addr() as usize, &mut *context.cast::<libc::ucontext_t>()) };
        match RUNNING.get() {
            Some((trap, stack)) if is_overflow(&trap, stack, address, context) => {
                // SAFETY: the coroutine runs on this thread, its stack pointer is on its stack, and the registers are set as
                // asked for. What it was doing was its own: the runtime's code runs with its memory redirected.
                unsafe { set(context, &trap.setup_trap_handler(|| ())) };
            }
            // SAFETY: as the caller promises.
            _ => unsafe { pass_on(signal, info, std::ptr::from_mut(context).cast()) },
        }
    }

    fn is_overflow(
        trap: &Trap,
        stack: StackRange,
        address: usize,
        context: &libc::ucontext_t,
    ) -> bool {
        (stack.limit..stack.limit + GUARD).contains(&address)
            && trap.stack_ptr_in_bounds(stack_pointer(context))
            // Code of the runtime cannot be left in the middle.
            && allocator::serves_checked_code()
    }

    /// Somebody else's: the handler before ours decides, or the default.
    unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let position = SIGNALS.iter().position(|known| *known == signal).unwrap_or(0);
        let Some(before) = BEFORE.get().map(|before| before[position]) else { return };
        // SAFETY: the flags of the action before say which arguments it takes; without a handler, the signal comes
        // again when this one returns, and then the default ends the process.
        unsafe {
            match before.sa_sigaction {
                libc::SIG_DFL | libc::SIG_IGN => {
                    libc::sigaction(signal, &raw const before, std::ptr::null_mut());
                }
                handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                    let handler: unsafe extern "C" fn(
                        libc::c_int,
                        *mut libc::siginfo_t,
                        *mut libc::c_void,
                    ) = std::mem::transmute(handler);
                    handler(signal, info, context);
                }
                handler => {
                    let handler: unsafe extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                    handler(signal);
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn stack_pointer(context: &libc::ucontext_t) -> usize {
        context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize
    }

    #[cfg(target_arch = "x86_64")]
    fn set(context: &mut libc::ucontext_t, to: &corosensei::trap::TrapHandlerRegs) {
        let registers = &mut context.uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = to.rip as i64;
        registers[libc::REG_RSP as usize] = to.rsp as i64;
        registers[libc::REG_RBP as usize] = to.rbp as i64;
        registers[libc::REG_RDI as usize] = to.rdi as i64;
        registers[libc::REG_RSI as usize] = to.rsi as i64;
    }

    #[cfg(target_arch = "aarch64")]
    fn stack_pointer(context: &libc::ucontext_t) -> usize {
        context.uc_mcontext.sp as usize
    }

    #[cfg(target_arch = "aarch64")]
    fn set(context: &mut libc::ucontext_t, to: &corosensei::trap::TrapHandlerRegs) {
        let machine = &mut context.uc_mcontext;
        machine.pc = to.pc;
        machine.sp = to.sp;
        machine.regs[0] = to.x0;
        machine.regs[1] = to.x1;
        machine.regs[29] = to.x29;
        machine.regs[30] = to.lr;
    }
}
