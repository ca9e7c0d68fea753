//! The `select!` macro.

/// Waits for the first of several branches, in the shape of `tokio::select!`; which of the ready branches is taken
/// is explored. The futures of the other branches are dropped. `biased;` takes the first ready one.
///
/// A branch is `pattern = future => expression,` or `pattern = future, if condition => expression,`. A branch whose condition
/// is false, or whose value does not match its pattern, is left out; when all are, `else => expression` is taken.
///
/// # Panics
///
/// When all branches are left out and there is no `else`.
///
/// ```
/// use mazurka::tokio::{select, sync::oneshot};
///
/// let outcome = mazurka::Builder::new().explore(|| {
///     let (first, one) = oneshot::channel();
///     let (second, two) = oneshot::channel();
///     first.send(1).unwrap();
///     second.send(2).unwrap();
///     let got = mazurka::future::block_on(async {
///         select! {
///             value = one => value.unwrap(),
///             value = two => value.unwrap(),
///         }
///     });
///     assert!(got == 1 || got == 2);
/// });
/// assert_eq!(outcome.executions, 2);
/// ```
#[macro_export]
macro_rules! select {
    (biased; $($branches:tt)+) => {
        $crate::select!(@collect true; 0u32; []; $($branches)+)
    };
    (@collect $biased:expr; $count:expr; [$($done:tt)*]; else => $otherwise:expr $(,)?) => {
        $crate::select!(@run $biased; $count; [$($done)*]; $otherwise)
    };
    (@collect $biased:expr; $count:expr; [$($done:tt)+];) => {
        $crate::select!(
            @run $biased; $count; [$($done)*];
            ::core::panic!("all branches are disabled and there is no else branch")
        )
    };
    (@collect $biased:expr; $count:expr; [$($done:tt)*]; $pattern:pat = $future:expr, if $guard:expr => $($rest:tt)*) => {
        $crate::select!(@body $biased; $count; [$($done)*]; ($pattern) ($future) ($guard); $($rest)*)
    };
    (@collect $biased:expr; $count:expr; [$($done:tt)*]; $pattern:pat = $future:expr => $($rest:tt)*) => {
        $crate::select!(@body $biased; $count; [$($done)*]; ($pattern) ($future) (true); $($rest)*)
    };
    (@body $biased:expr; $count:expr; [$($done:tt)*]; ($pattern:pat) ($future:expr) ($guard:expr); $body:block , $($rest:tt)*) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output enabled ($count) ($pattern) ($future) ($guard) ($body) }]; $($rest)*)
    };
    (@body $biased:expr; $count:expr; [$($done:tt)*]; ($pattern:pat) ($future:expr) ($guard:expr); $body:block $($rest:tt)*) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output enabled ($count) ($pattern) ($future) ($guard) ($body) }]; $($rest)*)
    };
    (@body $biased:expr; $count:expr; [$($done:tt)*]; ($pattern:pat) ($future:expr) ($guard:expr); $body:expr , $($rest:tt)*) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output enabled ($count) ($pattern) ($future) ($guard) ($body) }]; $($rest)*)
    };
    (@body $biased:expr; $count:expr; [$($done:tt)*]; ($pattern:pat) ($future:expr) ($guard:expr); $body:expr) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output enabled ($count) ($pattern) ($future) ($guard) ($body) }];)
    };
    (@run $biased:expr; $count:expr; [$({ $slot:ident $output:ident $enabled:ident ($number:expr) ($pattern:pat) ($future:expr) ($guard:expr) ($body:expr) })*]; $otherwise:expr) => {{
        $(let mut $output = ::core::option::Option::None;)*
        {
            $(let mut $enabled: bool = $guard;)*
            $(let mut $slot = ::std::pin::pin!(::core::future::IntoFuture::into_future($future));)*
            let count: u32 = $count;
            ::std::future::poll_fn(|context| {
                let first = if $biased || count == 0 { 0 } else { $crate::future::first_branch(count) };
                for turn in 0..count {
                    let branch = (first + turn) % count;
                    $(
                        if branch == $number
                            && $enabled
                            && let ::core::task::Poll::Ready(value) =
                                ::core::future::Future::poll(::core::pin::Pin::as_mut(&mut $slot), context)
                        {
                            #[allow(unused_variables, unreachable_patterns, reason = "the pattern is the user's")]
                            let matches = match &value {
                                $pattern => true,
                                _ => false,
                            };
                            if matches {
                                $output = ::core::option::Option::Some(value);
                                return ::core::task::Poll::Ready(());
                            }
                            $enabled = false;
                        }
                    )*
                }
                if false $(|| $enabled)* {
                    ::core::task::Poll::Pending
                } else {
                    ::core::task::Poll::Ready(())
                }
            })
            .await;
        }
        $(if let ::core::option::Option::Some(value) = $output {
            #[allow(irrefutable_let_patterns, reason = "the pattern is the user's")]
            let $pattern = value else { ::core::unreachable!("the value has matched the pattern") };
            $body
        } else)* {
            $otherwise
        }
    }};
    ($($branches:tt)+) => {
        $crate::select!(@collect false; 0u32; []; $($branches)+)
    };
}
