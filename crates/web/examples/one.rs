use mazurka_web::*;
use std::time::*;
fn main() {
    let page = std::env::args().nth(1).unwrap();
    let actions = std::env::args().nth(2).map(|a| actions::read(&a).unwrap());
    let browser = browser::Browser::start(&browser::find(None).unwrap(), false).unwrap();
    let mut connection = browser.connect().unwrap();
    let shared = record::Shared {
        server: server::Server::new(&page, None).unwrap(),
        sources: Default::default(), pages: Default::default(), names: Default::default(),
        helper: "mz123".into(), actions: actions.into(), max_actions: 10, asserts: vec![], max_events: 2000, step: Duration::from_secs(10),
    };
    for _ in 0..std::env::args().nth(3).map_or(1, |n| n.parse().unwrap()) {
        let t = Instant::now();
        let r = record::record(&shared, &mut connection, &record::Plan { events: vec![] }).unwrap();
        println!("{:?} for {} events", t.elapsed(), r.steps.len());
        let names = shared.names.lock().unwrap();
        for (i, s) in r.steps.iter().enumerate() { let e = names.event(s.event.0); println!("{i} {} {} after {:?} +{} -{}", e.kind, e.name, s.after, s.appeared.len(), s.vanished.len()); }
        for t in &r.touched { println!("  {} {:?}", t.key, t.accesses.iter().map(|a| (a.position, a.reads, a.writes, a.adds)).collect::<Vec<_>>()); }
        println!("{:?}\n{:?}\n{:?}\n{:?}", r.notes, r.cut, r.ending.exceptions, r.ending.requests);
        println!("heap {} dom {} pic {:?}", r.ending.heap.len(), r.ending.dom.len(), r.ending.picture.as_ref().map(|p| p.len()));
    }
}
