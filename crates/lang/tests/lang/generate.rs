//! Random programs, as text. They compile; what they do is anybody's guess.

/// A small generator of random numbers, the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.below(among.len())]
    }
}

/// A program with a bit of everything.
pub fn program(random: &mut Random) -> String {
    let mut text = String::from(
        "param n = 2;\nvar x;\nvar y = 1;\nvar a[n][2] = 1;\nmutex m;\nmutex k[2];\nrwlock r[2];\nsemaphore s = n;\nhandler h;\nhandler g[2]: multiset;\n",
    );
    // Each message only posts the later ones, so every execution ends.
    for message in (0..3).rev() {
        text += &format!(
            "message m{message}(p) {}\n",
            Body { random, routine: message, depth: 0, inside_atomic: false }.block()
        );
    }
    text += &format!(
        "task w(p) {}\n",
        Body { random, routine: 0, depth: 1, inside_atomic: false }.block()
    );
    for thread in ["t[p in 0..2]", "u[p in 5..6]"] {
        text += &format!(
            "thread {thread} {}\n",
            Body { random, routine: 0, depth: 0, inside_atomic: false }.block()
        );
    }
    text + "finally { assert x + y < 1000; }\n"
}

struct Body<'r> {
    random: &'r mut Random,
    /// Messages from this number + 1 on may be posted.
    routine: usize,
    depth: usize,
    inside_atomic: bool,
}

impl Body<'_> {
    fn block(&mut self) -> String {
        self.depth += 1;
        let count = 1 + self.random.below(3);
        let statements: String = (0..count).map(|_| self.statement() + " ").collect();
        self.depth -= 1;
        format!("{{ let q = p; let r = {}; {statements}q = r; }}", self.expression(2))
    }

    fn statement(&mut self) -> String {
        let simple = 8;
        let blocking = if self.inside_atomic { 0 } else { 8 };
        let nested = if self.depth > 3 { 0 } else { 5 };
        match self.random.below(simple + blocking + nested) {
            0 => format!("p = {};", self.expression(2)),
            1 => format!("{} = {};", self.place(), self.expression(2)),
            2 => format!("{} += {};", self.place(), self.expression(1)),
            3 => format!("q -= {};", self.expression(1)),
            4 => format!("assert {}, \"text\";", self.expression(1)),
            5 => format!("if {} {{ return; }}", self.expression(1)),
            6 => format!("assume {} || x < 9;", self.expression(1)),
            7 => format!("swap({}, q);", self.place()),
            other if other < simple + blocking => self.blocking(),
            _ => self.nested(),
        }
    }

    fn blocking(&mut self) -> String {
        match self.random.below(12) {
            6 => format!("with_shared r[{}] {}", self.random.pick(&["0", "1"]), self.block()),
            7 => "acquire s;".to_owned(),
            8 => "release s;".to_owned(),
            9 => format!("if try_lock(r[0]) {{ {} unlock r[0]; }}", self.statement()),
            10 => "if try_lock_shared(r[1]) { unlock_shared r[1]; }".to_owned(),
            11 => format!("q = choose({}) + try_acquire(s);", self.random.pick(&["1", "2", "y"])),
            0 if self.routine < 2 => {
                let message = self.routine + 1 + self.random.below(2 - self.routine);
                let handler = self.random.pick(&["h", "g[0]", "g[x]", "g[q]"]);
                format!("post m{message}({}) to {handler};", self.expression(1))
            }
            1 if self.depth == 1 => "let f = fork w(q); join f;".to_owned(),
            2 => "join u[5];".to_owned(),
            3 => "lock m;".to_owned(),
            4 => "unlock m;".to_owned(),
            _ => format!("with k[{}] {}", self.random.pick(&["0", "1", "q % 2"]), self.block()),
        }
    }

    fn nested(&mut self) -> String {
        match self.random.below(5) {
            0 => format!("if {} {} else {}", self.expression(1), self.block(), self.block()),
            1 => format!("for i in 0..{} {}", self.random.pick(&["2", "y", "3"]), self.block()),
            2 => format!("while x < {} {}", self.random.pick(&["1", "q", "2"]), self.block()),
            3 if !self.inside_atomic => {
                self.inside_atomic = true;
                let block = self.block();
                self.inside_atomic = false;
                format!("atomic {block}")
            }
            _ => self.block(),
        }
    }

    fn place(&mut self) -> String {
        match self.random.below(4) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            2 => format!("a[{}][1]", self.random.pick(&["0", "1", "q % 2", "x"])),
            _ => "a[1][0]".to_owned(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => self.place(),
                1 => "p".to_owned(),
                _ => format!("{}", self.random.below(5) as i64 - 2),
            };
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.random.below(8) {
            0 => format!("{left} && {right}"),
            1 => format!("({left} || {right})"),
            2 => format!("min({left}, {right})"),
            3 => format!("-({left}) - {right}"),
            4 => format!("({left}) {} ({right})", self.random.pick(&["==", "<", ">=", "!="])),
            5 => format!("!({left} % 3)"),
            6 => format!("cas({}, {left}, {right})", self.place()),
            _ => format!("{left} {} ({right})", self.random.pick(&["+", "-", "*"])),
        }
    }
}
