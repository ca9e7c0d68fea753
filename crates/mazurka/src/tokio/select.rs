//! The `select!` macro.

/// Waits for the first of several branches, in the shape of `tokio::select!`; which of the ready branches is taken
/// is explored. The futures of the other branches are dropped. `biased;` takes the first ready one.
///
/// A branch is `pattern = future => expression,`; the pattern must always match.
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
    (@collect $biased:expr; $count:expr; [$($done:tt)*]; $pattern:pat = $future:expr => $body:block , $($rest:tt)*) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output ($count) ($pattern) ($future) ($body) }]; $($rest)*)
    };
    (@collect $biased:expr; $count:expr; [$($done:tt)*]; $pattern:pat = $future:expr => $body:block $($rest:tt)*) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output ($count) ($pattern) ($future) ($body) }]; $($rest)*)
    };
    (@collect $biased:expr; $count:expr; [$($done:tt)*]; $pattern:pat = $future:expr => $body:expr , $($rest:tt)*) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output ($count) ($pattern) ($future) ($body) }]; $($rest)*)
    };
    (@collect $biased:expr; $count:expr; [$($done:tt)*]; $pattern:pat = $future:expr => $body:expr) => {
        $crate::select!(@collect $biased; $count + 1u32; [$($done)* { slot output ($count) ($pattern) ($future) ($body) }];)
    };
    (@collect $biased:expr; $count:expr; [$({ $slot:ident $output:ident ($number:expr) ($pattern:pat) ($future:expr) ($body:expr) })+];) => {{
        $(let mut $output = ::core::option::Option::None;)+
        {
            $(let mut $slot = ::std::pin::pin!(::core::future::IntoFuture::into_future($future));)+
            let count: u32 = $count;
            ::std::future::poll_fn(|context| {
                let first = if $biased { 0 } else { $crate::future::first_branch(count) };
                for turn in 0..count {
                    let branch = (first + turn) % count;
                    $(
                        if branch == $number
                            && let ::core::task::Poll::Ready(value) =
                                ::core::future::Future::poll(::core::pin::Pin::as_mut(&mut $slot), context)
                        {
                            $output = ::core::option::Option::Some(value);
                            return ::core::task::Poll::Ready(());
                        }
                    )+
                }
                ::core::task::Poll::Pending
            })
            .await;
        }
        $(if let ::core::option::Option::Some(value) = $output { let $pattern = value; $body } else)+ {
            ::core::unreachable!("one of the branches is ready")
        }
    }};
    ($($branches:tt)+) => {
        $crate::select!(@collect false; 0u32; []; $($branches)+)
    };
}
