//! What is expected after a tenth of the executions is near the truth. The programs of `mazurka-bench estimate`, smaller.

use mazurka_bench::estimate::compare;
use mazurka_engine::Algorithm;

#[test]
fn a_tenth_of_the_executions_tells_how_many_there_are() {
    for (program, n, algorithm) in [
        ("event-dpor/posters", 4, Algorithm::Event),
        ("event-dpor/buyers", 7, Algorithm::Event),
        ("event-dpor/writers", 7, Algorithm::Optimal),
        ("scaling/clicks", 5, Algorithm::Event),
    ] {
        let comparison = compare(program, n, algorithm, 3).expect("the program is there");
        assert_eq!(comparison.good(), 3, "{program}({n}): {comparison:?}");
    }
}
