//! tmp
use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::sync::Arc;
use mazurka::thread;
pub fn writers(n: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (1..=n)
        .map(|value| {
            let x = x.clone();
            thread::spawn(move || x.store(value, SeqCst))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(x.load(SeqCst) > 0);
}
fn mailbox(n: u32) {
    use mazurka::sync::atomic::AtomicU32;
    let x = Arc::new(AtomicU32::new(0));
    let handler = mazurka::handler::Handler::spawn_unordered("h");
    for value in 0..n {
        let x = Arc::clone(&x);
        handler.post(move || x.store(value, SeqCst));
    }
}
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let which = std::env::args().nth(2).unwrap();
    let o = mazurka::Builder::new().max_duration(std::time::Duration::from_secs(6)).explore(move || if which == "w" { writers(n) } else { mailbox(n as u32) });
    println!("{} {:?} {:.0}/s", o.executions, o.statistics.elapsed, o.executions as f64 / o.statistics.elapsed.as_secs_f64());
}
