//! Random programs with assertions.

use super::program::{Program, Statement, Test};
use mazurka_engine::rng::Rng;

/// Which features programs have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoarseShape {
    /// Its name.
    pub name: &'static str,
    /// Is there a mutex, and `assume`?
    pub blocks: bool,
    /// Are there `cas`, `if` and atomic blocks?
    pub branches: bool,
    /// Is the final state looked at?
    pub finally: bool,
    /// Are there handlers?
    pub handlers: bool,
    /// Are there choices?
    pub choices: bool,
    /// Are there read-write locks, semaphores, conditions, barriers, attempts, arrays and forks, and do messages join?
    pub guards: bool,
    /// Do tasks wait for locks, permits and each other, without anything that branches?
    pub waits: bool,
}

impl CoarseShape {
    /// Reads, writes and assertions.
    const PLAIN: CoarseShape = CoarseShape {
        name: "plain",
        blocks: false,
        branches: false,
        finally: false,
        handlers: false,
        choices: false,
        guards: false,
        waits: false,
    };

    /// All of them.
    pub const ALL: [CoarseShape; 10] = [
        CoarseShape::PLAIN,
        CoarseShape { name: "branching", branches: true, ..CoarseShape::PLAIN },
        CoarseShape { name: "blocking", branches: true, blocks: true, ..CoarseShape::PLAIN },
        CoarseShape {
            name: "finally",
            branches: true,
            blocks: true,
            finally: true,
            ..CoarseShape::PLAIN
        },
        CoarseShape {
            name: "guards",
            branches: true,
            blocks: true,
            finally: true,
            choices: true,
            guards: true,
            ..CoarseShape::PLAIN
        },
        CoarseShape { name: "waiting", waits: true, finally: true, ..CoarseShape::PLAIN },
        CoarseShape { name: "messages", finally: true, handlers: true, ..CoarseShape::PLAIN },
        CoarseShape {
            name: "waiting-messages",
            waits: true,
            finally: true,
            handlers: true,
            ..CoarseShape::PLAIN
        },
        CoarseShape {
            name: "handlers",
            branches: true,
            finally: true,
            handlers: true,
            ..CoarseShape::PLAIN
        },
        CoarseShape {
            name: "everything",
            blocks: true,
            branches: true,
            finally: true,
            handlers: true,
            choices: true,
            guards: true,
            waits: false,
        },
    ];

    /// The one of this name.
    pub fn named(name: &str) -> Option<CoarseShape> {
        CoarseShape::ALL.into_iter().find(|shape| shape.name == name)
    }
}

/// The program of a seed. The same seed and shape give the same program on every machine.
pub fn generate(seed: u64, shape: CoarseShape) -> Program {
    let mut generator = Generator {
        // Consecutive seeds must not give overlapping sequences of the generator.
        rng: Rng::new(seed.wrapping_mul(0xd134_2543_de82_ef95)),
        shape,
        variables: 1,
        handlers: 0,
        messages: 0,
    };
    generator.program()
}

struct Generator {
    rng: Rng,
    shape: CoarseShape,
    variables: usize,
    handlers: usize,
    messages: usize,
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    fn program(&mut self) -> Program {
        self.variables = 1 + self.below(3);
        let mut program = Program { variables: self.variables, ..Program::default() };
        if self.shape.handlers {
            self.handlers = 1 + self.below(2);
            self.messages = 1 + self.below(3);
            program.handlers = (0..self.handlers).map(|_| self.chance(40)).collect();
            for number in 0..self.messages {
                let length = 1 + self.below(2);
                let mut body = self.body(length, usize::MAX);
                // Messages post only those with a larger number, so that they come to an end.
                if number + 1 < self.messages && self.chance(20) {
                    let other = number + 1 + self.below(self.messages - number - 1);
                    body.push(Statement::Post(other, self.below(self.handlers)));
                }
                program.messages.push(body);
            }
        }
        if self.shape.guards || self.shape.waits {
            program.child = vec![self.statement(usize::MAX, false)];
        }
        let threads = if self.shape.handlers { 1 + self.below(3) } else { 2 + self.below(3) };
        // Few statements where there are many threads, so that there are not too many interleavings.
        let longest = if threads > 3 || self.shape.handlers && threads > 1 { 2 } else { 3 };
        for thread in 0..threads {
            let length = 1 + self.below(longest);
            let mut body = self.body(length, thread);
            if self.shape.handlers {
                let (message, handler) = (self.below(self.messages), self.below(self.handlers));
                let at = self.below(body.len() + 1);
                body.insert(at, Statement::Post(message, handler));
            }
            program.threads.push(body);
        }
        if self.chance(40) && !self.shape.handlers {
            program.last = (0..1 + self.below(2)).map(|_| self.test()).collect();
        }
        if self.shape.finally && self.chance(70) {
            program.finally = (0..1 + self.below(2)).map(|_| self.test()).collect();
        }
        program
    }

    fn body(&mut self, length: usize, thread: usize) -> Vec<Statement> {
        (0..length).map(|_| self.statement(thread, true)).collect()
    }

    /// A statement of a thread; only an access if it is not `free`.
    fn statement(&mut self, thread: usize, free: bool) -> Statement {
        let posts = free && self.shape.handlers && thread != usize::MAX;
        if posts && self.chance(45) {
            return Statement::Post(self.below(self.messages), self.below(self.handlers));
        }
        if free && self.shape.guards && self.chance(25) {
            return self.guarded(thread);
        }
        if free && self.shape.waits && self.chance(50) {
            return self.waiting(thread);
        }
        if free && self.shape.blocks && self.chance(25) {
            return match self.below(5) {
                0 | 1 => Statement::With(self.few(thread)),
                2 | 3 => Statement::Assume(self.test()),
                _ if thread > 0 && thread != usize::MAX => Statement::Join(self.below(thread)),
                _ => self.access(),
            };
        }
        if free && self.shape.branches && self.chance(22) {
            return match self.below(2) {
                0 => Statement::If(self.test(), self.few(thread)),
                _ => Statement::Atomic(vec![self.access(), self.access()]),
            };
        }
        if free && self.shape.choices && self.chance(8) {
            return Statement::Choose(self.below(self.variables), 2);
        }
        if free && self.chance(30) {
            return Statement::Assert(self.test());
        }
        self.access()
    }

    /// A statement that waits, or that others wait for.
    fn waiting(&mut self, thread: usize) -> Statement {
        match self.below(10) {
            0 => Statement::With(self.few(thread)),
            1 => Statement::WithShared(self.few(thread)),
            2 => Statement::With(vec![Statement::WithExclusive(self.few(thread))]),
            3 => Statement::WithExclusive(vec![Statement::With(self.few(thread))]),
            4..=6 => Statement::Acquire,
            7 => Statement::Release,
            8 => Statement::Fork,
            // Messages join the first thread, the first thread nobody.
            _ if thread == 0 => Statement::Acquire,
            _ => Statement::Join(if thread == usize::MAX { 0 } else { self.below(thread) }),
        }
    }

    fn guarded(&mut self, thread: usize) -> Statement {
        match self.below(14) {
            10 => Statement::Sleep,
            11 => Statement::Notify,
            12 => Statement::NotifyAll,
            13 => Statement::Arrive,
            0 => Statement::WithShared(self.few(thread)),
            1 => Statement::WithExclusive(self.few(thread)),
            2 => Statement::Try(self.few(thread)),
            3 => Statement::Acquire,
            4 => Statement::Release,
            5 => Statement::Fork,
            6 if thread == usize::MAX => Statement::Join(0),
            6 | 7 => Statement::WriteElement(self.below(self.variables), self.rng.below(3)),
            _ => Statement::AssertElement(self.below(self.variables), self.rng.below(3)),
        }
    }

    fn few(&mut self, thread: usize) -> Vec<Statement> {
        (0..1 + self.below(2)).map(|_| self.statement(thread, false)).collect()
    }

    fn access(&mut self) -> Statement {
        let x = self.below(self.variables);
        match self.below(if self.shape.branches { 10 } else { 8 }) {
            0..=3 => Statement::Write(x, self.rng.below(3)),
            4 => Statement::Copy(x, self.below(self.variables)),
            5 => Statement::Add(x, 1),
            6 | 7 => Statement::Read(x),
            _ => Statement::Cas(x, self.rng.below(2), self.rng.below(3)),
        }
    }

    fn test(&mut self) -> Test {
        let operator = ["==", "<", "!=", ">"][self.below(4)];
        Test { variable: self.below(self.variables), operator, constant: self.rng.below(3) }
    }
}
