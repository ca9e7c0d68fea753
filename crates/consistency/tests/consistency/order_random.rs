//! The order problem against brute force over all orders: verdict, order, and that the core alone is a contradiction.

use crate::common::{Random, acyclic, all_orders};
use mazurka_consistency::order::{Message, OrderProblem, Pending, Status};
use mazurka_consistency::{Limits, Policy};

#[derive(Debug, Clone)]
struct Instance {
    nodes: usize,
    edges: Vec<(u32, u32)>,
    policies: Vec<Policy>,
    messages: Vec<Message>,
    pending: Vec<Pending>,
    ordered: Vec<(u32, u32)>,
}

impl Instance {
    fn random(random: &mut Random) -> Self {
        let groups = 1 + random.below(3);
        let policies = (0..groups).map(|_| Policy::ALL[random.below(3)]).collect();
        let mut instance = Self {
            nodes: 0,
            edges: Vec::new(),
            policies,
            messages: Vec::new(),
            pending: Vec::new(),
            ordered: Vec::new(),
        };
        let mut posters: Vec<u32> = (0..2 + random.below(4)).map(|_| instance.node()).collect();
        for _ in 0..2 + random.below(5) {
            instance.random_message(random, &mut posters);
        }
        if random.chance(20) && !posters.is_empty() {
            let post = posters.swap_remove(random.below(posters.len()));
            let group = random.below(groups) as u32;
            instance.pending.push(Pending { group, post, sender: random.below(2) as u32 });
        }
        instance.random_edges(random);
        instance
    }

    fn node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes as u32 - 1
    }

    fn random_message(&mut self, random: &mut Random, posters: &mut Vec<u32>) {
        let group = random.below(self.policies.len()) as u32;
        let get = self.node();
        let mut last = get;
        for _ in 0..random.below(3) {
            let next = self.node();
            self.edges.push((last, next));
            last = next;
            if random.chance(60) {
                posters.push(next);
            }
        }
        // A message may not be posted from within itself: then its post would follow its get.
        let candidates: Vec<u32> = posters.iter().copied().filter(|&p| p < get).collect();
        let post = if candidates.is_empty() || random.chance(15) {
            None
        } else {
            Some(candidates[random.below(candidates.len())])
        };
        // Now and then one node posts several messages.
        if !random.chance(15) {
            posters.retain(|&p| Some(p) != post);
        }
        let complete = !random.chance(8);
        self.messages.push(Message {
            group,
            post,
            sender: random.below(2) as u32,
            get,
            last,
            complete,
        });
    }

    fn random_edges(&mut self, random: &mut Random) {
        let mut rank: Vec<usize> = (0..self.nodes).collect();
        if random.chance(50) {
            random.shuffle(&mut rank);
        }
        for _ in 0..random.below(self.nodes) {
            let (a, b) = (random.below(self.nodes), random.below(self.nodes));
            if rank[a] < rank[b] || random.chance(2) {
                self.edges.push((a as u32, b as u32));
            }
        }
        if random.chance(20) {
            let (a, b) = (random.below(self.messages.len()), random.below(self.messages.len()));
            if a != b && self.messages[a].group == self.messages[b].group {
                self.ordered.push((a as u32, b as u32));
            }
        }
    }

    fn load(&self, problem: &mut OrderProblem) {
        problem.reset(self.nodes);
        self.policies.iter().for_each(|&policy| assert!(problem.group(policy) < 3));
        self.edges.iter().for_each(|&(a, b)| problem.edge(a, b));
        self.messages.iter().for_each(|&message| assert!(problem.message(message) < 7));
        self.pending.iter().for_each(|&pending| problem.pending(pending));
        self.ordered.iter().for_each(|&(a, b)| problem.before(a, b));
    }

    fn by_group(&self) -> Vec<Vec<u32>> {
        let members = |g| {
            (0..self.messages.len() as u32)
                .filter(|&m| self.messages[m as usize].group == g)
                .collect()
        };
        (0..self.policies.len() as u32).map(members).collect()
    }

    /// Do these orders work? Straight from the definition.
    fn allows(&self, orders: &[Vec<u32>]) -> bool {
        let mut edges = self.edges.clone();
        for message in &self.messages {
            edges.extend(message.post.map(|post| (post, message.get)));
            edges.extend((message.get != message.last).then_some((message.get, message.last)));
        }
        for (group, order) in orders.iter().enumerate() {
            for (index, &a) in order.iter().enumerate() {
                for &b in &order[index + 1..] {
                    if self.ordered.contains(&(b, a))
                        || !self.pair(self.policies[group], a, b, &mut edges)
                    {
                        return false;
                    }
                }
            }
        }
        for pending in &self.pending {
            for message in self.messages.iter().filter(|m| m.group == pending.group) {
                if self.keeps(self.policies[pending.group as usize], message.sender, pending.sender)
                {
                    let post = message.post.filter(|&post| post != pending.post);
                    edges.extend(post.map(|post| (post, pending.post)));
                }
            }
        }
        acyclic(self.nodes, &edges)
    }

    fn keeps(&self, policy: Policy, first: u32, second: u32) -> bool {
        policy == Policy::Fifo || policy == Policy::P2p && first == second
    }

    fn pair(&self, policy: Policy, a: u32, b: u32, edges: &mut Vec<(u32, u32)>) -> bool {
        let (a, b) = (&self.messages[a as usize], &self.messages[b as usize]);
        edges.push((a.last, b.get));
        if self.keeps(policy, a.sender, b.sender) {
            match (a.post, b.post) {
                (Some(first), Some(second)) if first == second => {}
                (Some(first), Some(second)) => edges.push((first, second)),
                (Some(_), None) if policy == Policy::Fifo => return false,
                _ => {}
            }
        }
        a.complete
    }
}

#[test]
fn twenty_thousand_random_problems() {
    let mut problem = OrderProblem::new();
    let (mut ordered, mut cyclic, mut contradictions, mut searched) = (0, 0, 0, 0);
    for seed in 0..20_000 {
        let instance = Instance::random(&mut Random::new(seed));
        instance.load(&mut problem);
        let expected = all_orders(&mut instance.by_group(), &mut |orders| instance.allows(orders));
        match problem.solve(&Limits::default()) {
            Status::Ordered => {
                assert!(expected, "seed {seed}: no order exists: {instance:?}");
                let orders: Vec<Vec<u32>> = (0..instance.policies.len() as u32)
                    .map(|g| problem.order(g).to_vec())
                    .collect();
                assert!(instance.allows(&orders), "seed {seed}: {orders:?} for {instance:?}");
                assert!(problem.linearise().is_some(), "seed {seed}");
                ordered += 1;
            }
            Status::Contradiction => {
                assert!(!expected, "seed {seed}: an order exists: {instance:?}");
                contradictions += 1;
                cyclic += usize::from(!acyclic(instance.nodes, &instance.edges));
                searched += usize::from(check_core(seed, &instance, &mut problem));
            }
            Status::Unknown(limit) => panic!("seed {seed}: {limit}"),
        }
    }
    assert!(
        ordered > 4000 && contradictions - cyclic > 2000 && searched > 1500,
        "{ordered} {contradictions} {cyclic} {searched}"
    );
}

/// The core is a part of the fixed edges, and a contradiction by itself. Tells whether it left edges out.
fn check_core(seed: u64, instance: &Instance, problem: &mut OrderProblem) -> bool {
    let core = problem.core().to_vec();
    assert!(core.iter().all(|edge| instance.edges.contains(edge)), "seed {seed}: {core:?}");
    let alone = Instance { edges: core, ..instance.clone() };
    let solvable = all_orders(&mut alone.by_group(), &mut |orders| alone.allows(orders));
    assert!(!solvable, "seed {seed}: {:?} of {instance:?}", alone.edges);
    alone.edges.len() < instance.edges.len()
}
