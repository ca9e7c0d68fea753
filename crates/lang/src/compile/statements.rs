//! The code of statements.

use super::builder::{Builder, Context, place_span};
use super::constants::wrong_count;
use super::dependence;
use super::symbols::{Kind, wrong_name};
use crate::arithmetic::Operator;
use crate::ast::{
    AssignOperator, Block, Call, Expression, ExpressionKind, Name, Place, Statement, StatementKind,
    Value,
};
use crate::code::{Assertion, Instruction, Register, Spin, Target};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What is done with a lock or semaphore, once it is known which one is meant.
type MakeInstruction = fn(Target) -> Instruction;

fn lock(target: Target) -> Instruction {
    Instruction::Lock { target }
}

fn unlock(target: Target) -> Instruction {
    Instruction::Unlock { target }
}

fn lock_shared(target: Target) -> Instruction {
    Instruction::LockShared { target }
}

fn unlock_shared(target: Target) -> Instruction {
    Instruction::UnlockShared { target }
}

impl<'a> Builder<'a> {
    /// A block is a scope.
    pub(super) fn block(&mut self, block: &'a Block) {
        self.scope(|builder| {
            for statement in &block.statements {
                builder.statement(statement);
            }
        });
    }

    fn statement(&mut self, statement: &'a Statement) {
        if !self.allowed(statement) {
            return;
        }
        // A `let` keeps its register; everything else gives back what it took.
        if let StatementKind::Let { name, value } = &statement.kind {
            let register = self.allocate(name.span);
            self.assigned_value(value, register, statement.span);
            self.bind(name, register);
            return;
        }
        let mark = self.mark();
        self.other_statement(statement);
        self.release(mark);
    }

    fn other_statement(&mut self, statement: &'a Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Let { .. } => {}
            StatementKind::Assign { target, operator, value } => {
                self.assign(target, *operator, value, span)
            }
            StatementKind::Evaluate(expression) => self.evaluate(expression),
            StatementKind::Post { call, handler } => self.post(call, handler, span),
            StatementKind::Fork(call) => {
                let to = self.allocate(span);
                self.fork(call, to, span);
            }
            StatementKind::Join(place) => self.join(place, span),
            StatementKind::Lock(place) => {
                self.with_kind(place, self.lock_kind(place), span, lock);
            }
            StatementKind::Unlock(place) => {
                self.with_kind(place, self.lock_kind(place), span, unlock);
            }
            StatementKind::With { mutex, body } => {
                self.with(mutex, self.lock_kind(mutex), [lock, unlock], body, span);
            }
            StatementKind::LockShared(place) => {
                self.with_kind(place, Kind::ReadWriteLock, span, lock_shared);
            }
            StatementKind::UnlockShared(place) => {
                self.with_kind(place, Kind::ReadWriteLock, span, unlock_shared);
            }
            StatementKind::WithShared { lock, body } => {
                let shared = [lock_shared as MakeInstruction, unlock_shared];
                self.with(lock, Kind::ReadWriteLock, shared, body, span);
            }
            StatementKind::Acquire(place) => {
                self.with_kind(place, Kind::Semaphore, span, |target| Instruction::Acquire {
                    target,
                });
            }
            StatementKind::Release(place) => {
                self.with_kind(place, Kind::Semaphore, span, |target| Instruction::Release {
                    target,
                });
            }
            StatementKind::Wait { place, lock: None } => self.wait_at_barrier(place, span),
            StatementKind::Wait { place, lock: Some(lock) } => {
                self.wait_for_notification(place, lock, span);
            }
            StatementKind::Notify(place) => self.notify(place, span),
            StatementKind::NotifyAll(place) => {
                self.with_kind(place, Kind::Condition, span, |target| Instruction::NotifyAll {
                    target,
                });
            }
            StatementKind::If { branches, otherwise } => {
                self.branches(branches, otherwise.as_ref())
            }
            StatementKind::While { condition, body } => self.while_loop(condition, body, span),
            StatementKind::For { index, from, to, body } => {
                self.for_loop(index, from, to, body, span)
            }
            StatementKind::Assert { condition, text } => {
                self.assert(condition, text.as_deref(), span)
            }
            StatementKind::Assume(condition) => {
                let condition = self.operand(condition);
                self.emit(Instruction::Assume { condition }, span);
            }
            StatementKind::Atomic(body) => self.atomic(body, span),
            StatementKind::Return => self.return_now(span),
            StatementKind::Block(block) => self.block(block),
        }
    }

    /// May this statement stand here? Says so if not.
    fn allowed(&mut self, statement: &Statement) -> bool {
        let word = match &statement.kind {
            StatementKind::Post { .. } => "post",
            StatementKind::Fork(_) => "fork",
            StatementKind::Let { value: Value::Fork(_), .. } => "fork",
            StatementKind::Assign { value: Value::Fork(_), .. } => "fork",
            StatementKind::Join(_) => "join",
            StatementKind::Lock(_) => "lock",
            StatementKind::Unlock(_) => "unlock",
            StatementKind::With { .. } => "with",
            StatementKind::LockShared(_) => "lock_shared",
            StatementKind::UnlockShared(_) => "unlock_shared",
            StatementKind::WithShared { .. } => "with_shared",
            StatementKind::Acquire(_) => "acquire",
            StatementKind::Release(_) => "release",
            StatementKind::Wait { .. } => "wait",
            StatementKind::Notify(_) => "notify",
            StatementKind::NotifyAll(_) => "notify_all",
            StatementKind::Atomic(_) => "atomic",
            _ => return true,
        };
        let (message, help) = match self.context {
            Context::Ordinary => return true,
            Context::Atomic => (
                format!("`{word}` cannot stand inside `atomic`"),
                "an atomic block is one event: it reads, writes and computes",
            ),
            Context::Finally | Context::Invariant => (
                format!("`{word}` cannot stand in `finally`"),
                "`finally` only looks at the final state",
            ),
        };
        self.errors.push(Diagnostic::new(statement.span, message).with_help(Some(help.to_owned())));
        false
    }

    fn assigned_value(&mut self, value: &'a Value, to: Register, span: Span) {
        match value {
            Value::Expression(expression) => self.value_into(expression, to),
            Value::Fork(call) => self.fork(call, to, span),
        }
    }

    fn assign(&mut self, place: &'a Place, operator: AssignOperator, value: &'a Value, span: Span) {
        if let (Value::Fork(call), true) = (value, operator != AssignOperator::Set) {
            self.error(call.name.span, "the handle of a thread cannot be added to anything");
            return;
        }
        if let Some(register) = self.local(&place.name.text) {
            self.no_indices(place);
            return self.assign_local(register, operator, value, span);
        }
        if self.symbols.param(&place.name.text).is_some() {
            let message = format!("`{}` is a param: it cannot be assigned", place.name.text);
            self.error(place.name.span, message);
            return;
        }
        self.assign_shared(place, operator, value, span);
    }

    fn assign_local(
        &mut self,
        to: Register,
        operator: AssignOperator,
        value: &'a Value,
        span: Span,
    ) {
        let operator = match operator {
            AssignOperator::Set => return self.assigned_value(value, to, span),
            AssignOperator::Add => Operator::Add,
            AssignOperator::Subtract => Operator::Subtract,
        };
        let right = self.assigned_operand(value, span);
        self.emit(Instruction::Binary { operator, to, left: to, right }, span);
    }

    fn assigned_operand(&mut self, value: &'a Value, span: Span) -> Register {
        match value {
            Value::Expression(expression) => self.operand(expression),
            Value::Fork(call) => {
                let to = self.allocate(span);
                self.fork(call, to, span);
                to
            }
        }
    }

    fn assign_shared(
        &mut self,
        place: &'a Place,
        operator: AssignOperator,
        value: &'a Value,
        span: Span,
    ) {
        let target = self.shared_target(place);
        let from = self.assigned_operand(value, span);
        let Some(target) = target else { return };
        if self.context.only_looks() {
            self.error(span, "`finally` cannot change shared variables");
            return;
        }
        let to = self.allocate(span);
        let instruction = match operator {
            AssignOperator::Set => Instruction::Write { from, target },
            AssignOperator::Add => Instruction::Update { subtract: false, to, from, target },
            AssignOperator::Subtract => Instruction::Update { subtract: true, to, from, target },
        };
        self.emit_write(&place.name.text, instruction, span);
    }

    /// The target of an assignment; unknown names may have been meant as locals too.
    fn shared_target(&mut self, place: &'a Place) -> Option<Target> {
        let known = self.symbols.array(Kind::Variable, &place.name.text).is_some();
        if known || self.symbols.other_kind(&place.name.text).is_some() {
            return self.target(place, Kind::Variable);
        }
        let locals = self.local_names();
        let mut error =
            wrong_name(self.symbols, &place.name, "variable", &[Kind::Variable], &locals);
        let advice = || format!("declare it with `var {0};` or `let {0} = …;`", place.name.text);
        error.help = error.help.or_else(|| Some(advice()));
        self.errors.push(error);
        None
    }

    fn evaluate(&mut self, expression: &'a Expression) {
        let to = self.allocate(expression.span);
        self.value_into(expression, to);
        if let ExpressionKind::Call(call) = &expression.kind
            && matches!(call.name.text.as_str(), "min" | "max")
        {
            self.error(expression.span, "this value is not used");
        }
    }

    /// Finds a message or task, computes the arguments, and gives its number and the first of their registers.
    fn call_routine(&mut self, call: &'a Call, kind: Kind) -> Option<(u16, Register)> {
        let symbols = self.symbols;
        let signature = symbols.signature(kind, &call.name.text);
        let arguments = self.mark();
        for argument in &call.arguments {
            let register = self.allocate(argument.span);
            self.value_into(argument, register);
        }
        let Some(signature) = signature else {
            let error = wrong_name(symbols, &call.name, kind.describe(), &[kind], &[]);
            self.errors.push(error);
            return None;
        };
        if signature.parameters != call.arguments.len() {
            let (wanted, given) = (signature.parameters, call.arguments.len());
            let error = wrong_count(&call.name.text, wanted, given, call.name.span);
            self.errors.push(error);
            return None;
        }
        Some((signature.routine, arguments))
    }

    fn post(&mut self, call: &'a Call, handler: &'a Place, span: Span) {
        let called = self.call_routine(call, Kind::Message);
        let target = self.target(handler, Kind::Handler);
        if let (Some((routine, arguments)), Some(target)) = (called, target) {
            self.emit(Instruction::Post { routine, arguments, target }, span);
        }
    }

    fn fork(&mut self, call: &'a Call, to: Register, span: Span) {
        let mark = self.mark();
        if let Some((routine, arguments)) = self.call_routine(call, Kind::Task) {
            self.emit(Instruction::Fork { routine, arguments, to }, span);
        }
        self.release(mark);
    }

    fn join(&mut self, place: &'a Place, span: Span) {
        let name = &place.name.text;
        let is_local = self.local(name).is_some();
        if !is_local && self.symbols.array(Kind::Thread, name).is_some() {
            return self
                .with_kind(place, Kind::Thread, span, |target| Instruction::JoinThread { target });
        }
        if let Some(handle) = self.local(name) {
            self.no_indices(place);
            self.emit(Instruction::Join { handle }, span);
        } else if self.symbols.array(Kind::Variable, name).is_some() {
            // A handle that was kept in a shared variable.
            let handle = self.allocate(span);
            if let Some(target) = self.target(place, Kind::Variable) {
                self.emit(Instruction::Read { to: handle, target }, place_span(place));
                self.emit(Instruction::Join { handle }, span);
            }
        } else {
            let locals = self.local_names();
            let mut error =
                wrong_name(self.symbols, &place.name, "thread", &[Kind::Thread], &locals);
            if self.symbols.other_kind(name) == Some(Kind::Task) {
                error.help = Some(format!("join the handle: `let w = fork {name}(…); join w;`"));
            }
            self.errors.push(error);
        }
    }

    /// `lock` and `unlock` take mutexes, and read-write locks for writing.
    pub(super) fn lock_kind(&self, place: &Place) -> Kind {
        match self.symbols.array(Kind::ReadWriteLock, &place.name.text) {
            Some(_) => Kind::ReadWriteLock,
            None => Kind::Mutex,
        }
    }

    fn with_kind(&mut self, place: &'a Place, kind: Kind, span: Span, make: MakeInstruction) {
        if let Some(target) = self.target(place, kind) {
            self.emit(make(target), span);
        }
    }

    fn wait_at_barrier(&mut self, barrier: &'a Place, span: Span) {
        if let Some(target) = self.target(barrier, Kind::Barrier) {
            let is_last = self.allocate(span);
            self.emit(Instruction::Arrive { to: is_last, target }, span);
            let end = self.emit(Instruction::JumpIfNotZero { condition: is_last, to: 0 }, span);
            self.emit(Instruction::Sleep, span);
            self.land(end);
        }
    }

    fn wait_for_notification(&mut self, condition: &'a Place, lock: &'a Place, span: Span) {
        let target = self.target(condition, Kind::Condition);
        let lock = self.target(lock, self.lock_kind(lock));
        if let (Some(target), Some(lock)) = (target, lock) {
            self.emit(Instruction::Enqueue { target }, span);
            self.emit(Instruction::Unlock { target: lock }, span);
            self.emit(Instruction::Sleep, span);
            self.emit(Instruction::Lock { target: lock }, span);
        }
    }

    /// Which of several is woken is a choice. Nobody can come in between: the notification has a claim on one of them.
    fn notify(&mut self, condition: &'a Place, span: Span) {
        if let Some(target) = self.target(condition, Kind::Condition) {
            let count = self.allocate(span);
            self.emit(Instruction::Notify { to: count, target }, span);
            let end = self.emit(Instruction::JumpIfZero { condition: count, to: 0 }, span);
            self.emit(Instruction::Choose { to: count, count }, span);
            self.emit(Instruction::Wake { choice: count, target }, span);
            self.land(end);
        }
    }

    fn with(
        &mut self,
        held: &'a Place,
        kind: Kind,
        [take, give]: [MakeInstruction; 2],
        body: &'a Block,
        span: Span,
    ) {
        let place = place_span(held);
        let target = self.target(held, kind);
        if let Some(target) = target {
            self.emit(take(target), place);
            self.held.push(give(target));
        }
        self.block(body);
        if let Some(target) = target {
            self.held.pop();
            // The lock is given back at the closing brace.
            let brace = Span { start: span.end.saturating_sub(1), end: span.end };
            self.emit(give(target), brace);
        }
    }

    fn return_now(&mut self, span: Span) {
        if self.context == Context::Atomic {
            let jump = self.emit(Instruction::Jump { to: 0 }, span);
            self.returns.push(jump);
            return;
        }
        self.leave(span);
    }

    /// Gives back the locks of the `with` blocks around, and ends the task.
    fn leave(&mut self, span: Span) {
        for give in self.held.clone().into_iter().rev() {
            self.emit(give, span);
        }
        self.emit(Instruction::End, span);
    }

    fn branches(&mut self, branches: &'a [(Expression, Block)], otherwise: Option<&'a Block>) {
        let mut ends = Vec::with_capacity(branches.len());
        for (condition, block) in branches {
            let mark = self.mark();
            let register = self.operand(condition);
            let skip =
                self.emit(Instruction::JumpIfZero { condition: register, to: 0 }, condition.span);
            self.release(mark);
            self.block(block);
            ends.push(self.emit(Instruction::Jump { to: 0 }, condition.span));
            self.land(skip);
        }
        if let Some(block) = otherwise {
            self.block(block);
        }
        for end in ends {
            self.land(end);
        }
    }

    fn while_loop(&mut self, condition: &'a Expression, body: &'a Block, span: Span) {
        let assigned = self.assigned_locals(body);
        let counter = self.allocate(span);
        let mark = self.allocate(span);
        for _ in &assigned {
            self.allocate(span);
        }
        let spin = self.code.spins.len() as u32;
        self.code.spins.push(Spin { waits: false, mark, assigned });
        self.emit(Instruction::Constant { to: counter, value: 0 }, span);
        self.emit(Instruction::Constant { to: mark, value: -1 }, span);
        let test = self.emit(Instruction::BeginRound { spin }, span);
        let mark = self.mark();
        let register = self.operand(condition);
        let exit =
            self.emit(Instruction::JumpIfZero { condition: register, to: 0 }, condition.span);
        self.release(mark);
        self.emit(Instruction::CountRound { counter }, span);
        self.block(body);
        self.emit(Instruction::Jump { to: test }, span);
        let round = &self.code.instructions[test as usize..];
        self.code.spins[spin as usize].waits = round.iter().any(Instruction::is_event);
        self.land(exit);
    }

    /// The locals that a block assigns to and that are there before it.
    fn assigned_locals(&self, body: &Block) -> Vec<Register> {
        let names = self.local_names();
        let assigned = names.iter().filter(|name| dependence::assigns(body, name));
        let mut registers: Vec<Register> = assigned.filter_map(|name| self.local(name)).collect();
        registers.sort_unstable();
        registers.dedup();
        registers
    }

    fn for_loop(
        &mut self,
        index: &'a Name,
        from: &'a Expression,
        to: &'a Expression,
        body: &'a Block,
        span: Span,
    ) {
        self.scope(|builder| {
            let counter = builder.allocate(span);
            builder.value_into(from, counter);
            let end = builder.allocate(span);
            builder.value_into(to, end);
            // The body may assign to the index; that does not change how often it runs.
            let variable = if dependence::assigns(body, &index.text) {
                builder.allocate(span)
            } else {
                counter
            };
            let enter = builder.emit(Instruction::ForEnter { counter, end, exit: 0 }, span);
            if variable != counter {
                builder.emit(Instruction::Copy { to: variable, from: counter }, span);
            }
            builder.bind(index, variable);
            let start = builder.here();
            builder.block(body);
            builder.emit(Instruction::ForNext { counter, end, variable, body: start }, span);
            builder.land(enter);
        });
    }

    pub(super) fn assert(&mut self, condition: &'a Expression, text: Option<&str>, span: Span) {
        // The tree, not the text: what a failure says does not depend on the layout of the program.
        let text = text.map_or_else(|| format!("assertion `{condition}` failed"), str::to_owned);
        let looks = self.looks_of(condition);
        let condition = self.operand(condition);
        self.mentions.clear();
        let assertion = self.assertion(Assertion { text, looks });
        self.emit(Instruction::Assert { condition, assertion }, span);
    }

    fn atomic(&mut self, body: &'a Block, span: Span) {
        let data_dependent = dependence::is_data_dependent(self, body);
        let begin = self.emit(Instruction::Atomic { data_dependent }, span);
        let outside = std::mem::replace(&mut self.context, Context::Atomic);
        self.begin_due(span);
        self.block(body);
        self.context = outside;
        let due = std::mem::take(&mut self.due);
        let data_dependent = data_dependent || due.is_data_dependent(self.invariants);
        self.code.instructions[begin as usize] = Instruction::Atomic { data_dependent };
        self.end_atomic(&due, span);
        let returns = std::mem::take(&mut self.returns);
        if returns.is_empty() {
            return;
        }
        let goes_on = self.emit(Instruction::Jump { to: 0 }, span);
        returns.into_iter().for_each(|jump| self.land(jump));
        self.end_atomic(&due, span);
        self.leave(span);
        self.land(goes_on);
    }
}
