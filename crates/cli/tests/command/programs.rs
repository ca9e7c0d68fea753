//! Programs that several tests run.

/// Three threads post to one handler; each message posts a second one.
pub const POSTERS: &str = "\
param n = 3;
mailbox multiset;
var x = -1;
handler h;
message second(i) { x = 2 * i + 1;  assert x == 2 * i + 1; }
message first(i)  { x = 2 * i;  post second(i) to h;  assert x == 2 * i; }
thread poster[i in 0..n] { post first(i) to h; }
";

/// Two threads increment one variable, each with a read and a write.
pub const LOST_UPDATE: &str = "\
var x;
thread left { x = x + 1; }
thread right { x = x + 1; }
finally { assert x == 2; }
";

/// Two threads take two locks in opposite orders.
pub const LOCK_ORDER: &str = "\
mutex a;
mutex b;
thread left { with a { with b { } } }
thread right { with b { with a { } } }
";

/// One thread posts two messages that write different values.
pub const TWO_POSTS: &str = "\
var x;
handler h;
message a { x = 1; }
message b { x = 2; }
thread t { post a() to h; post b() to h; }
";

/// A message reads what another thread may have changed.
pub const STALE: &str = "\
param limit = 1;
var ready;
handler ui;
message show(i) { assert ready < limit, \"too late for a picture\"; }
thread loader { ready = 1; }
thread main { post show(7) to ui; }
";
