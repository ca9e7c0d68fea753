//! Malformed files of every kind: a clear error that names the event and the rule, no panic, bounded memory.

use flate2::Compression;
use flate2::write::GzEncoder;
use mazurka_consistency::{format, read};
use std::io::{Read, Write};

/// A small well-formed trace, to be damaged.
const GOOD: &str = r#"{"format":"ed-trace/1","name":"n","handlers":2,"vars":2,"messages":[
  {"h":0,"init":true,"ev":[["p",1],["w",0],["r",1,-1],["p",2]]},
  {"h":1,"ev":[["g"],["r",0,1],["w",1]]},
  {"h":1,"pending":true,"ev":[]}],"co":[[1],[6]],"hb":[[0,1]],"meta":{"any":["thing",{}]}}"#;

fn error_of(text: &str) -> String {
    match read::read(text.as_bytes(), read::DEFAULT_LIMIT) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

/// Replaces a part of the good trace and expects the error to contain `expected`.
fn damaged(part: &str, by: &str, expected: &str) {
    assert!(GOOD.contains(part), "{part}");
    let error = error_of(&GOOD.replacen(part, by, 1));
    assert!(error.contains(expected), "`{part}` -> `{by}`: {error}");
}

#[test]
fn the_good_one_is_good() {
    let trace = format::parse(GOOD.as_bytes()).expect("well-formed");
    assert_eq!((trace.events().len(), trace.messages().len(), trace.name()), (7, 3, "n"));
    assert_eq!(trace.order_edges(), [(0, 1)]);
}

#[test]
fn not_json() {
    for text in ["", " ", "\0\0\0", "[]", "12", "null", "\"x\"", "\u{feff}{}", "ed-trace"] {
        assert!(error_of(text).contains("does not begin with"), "{text:?}");
    }
    for text in ["{", "{}", "{]", "{\"format\"", "{\"format\":\"ed-trace/1\"}", "{\"a\":1,}"] {
        assert!(error_of(text).contains("not an ed-trace/1 file"), "{text:?}");
    }
    assert!(error_of(&GOOD[..GOOD.len() - 1]).contains("EOF"));
    assert!(error_of(&format!("{GOOD} x")).contains("trailing"));
    assert!(error_of(&format!("{GOOD}{GOOD}")).contains("trailing"));
    let deep = format!("{{\"meta\":{}1", "[".repeat(100_000));
    assert!(error_of(&deep).contains("not an ed-trace/1 file"));
    let not_utf8 =
        [b"{\"format\":\"ed-trace/1\",\"name\":\"".as_slice(), &[0xff, 0xfe], b"\"}"].concat();
    assert!(read::read(&not_utf8[..], 1000).is_err());
}

#[test]
fn wrong_version_or_shape() {
    damaged("ed-trace/1", "ed-trace/2", "format `ed-trace/2` is not supported");
    damaged("\"ed-trace/1\"", "1", "invalid type");
    damaged("\"format\":\"ed-trace/1\",", "", "missing field `format`");
    damaged("\"handlers\":2,", "", "missing field `handlers`");
    damaged("\"vars\":2,", "", "missing field `vars`");
    damaged(",\"co\":[[1],[6]]", "", "missing field `co`");
    damaged("\"messages\"", "\"mess\"", "missing field `messages`");
    damaged("\"h\":0,", "", "missing field `h`");
    damaged("{\"h\":0,", "{\"h\":0,\"h\":0,", "duplicate field `h`");
    damaged("\"vars\":2", "\"vars\":2,\"vars\":2", "duplicate field `vars`");
    damaged("\"vars\":2", "\"vars\":-2", "invalid value");
    damaged("\"vars\":2", "\"vars\":2.5", "invalid type");
    damaged("\"handlers\":2", "\"handlers\":99999999999", "invalid value");
    damaged("[\"g\"]", "[]", "an event");
    damaged("[\"g\"]", "\"g\"", "an event");
    damaged("[\"g\"]", "[\"x\"]", "one of g, r, w and p");
    damaged("[\"g\"]", "[\"g\",1]", "too many parts");
    damaged("[\"w\",0]", "[\"w\"]", "invalid length");
    damaged("[\"r\",0,1]", "[\"r\",0]", "invalid length");
    damaged("[\"r\",0,1]", "[\"r\",0,-2]", "invalid value");
    damaged("[\"r\",0,1]", "[\"r\",0,99999999999]", "invalid value");
    damaged("[[0,1]]", "[[0,1,2]]", "trailing characters");
    damaged("\"pending\":true,\"ev\":[]", "\"pending\":1,\"ev\":[]", "invalid type");
}

#[test]
fn broken_rules() {
    damaged("{\"h\":1,\"ev\"", "{\"h\":2,\"ev\"", "message 1: handler 2 does not exist");
    damaged(
        "{\"h\":1,\"pending\":true,\"ev\":[]}",
        "{\"h\":0,\"init\":true,\"ev\":[]}",
        "both initial on handler 0",
    );
    damaged("\"pending\":true", "\"pending\":true,\"init\":true", "initial and pending");
    damaged(
        "\"pending\":true,\"ev\":[]",
        "\"pending\":true,\"ev\":[[\"g\"]]",
        "message 2 is pending but has events",
    );
    damaged("\"pending\":true,\"ev\":[]", "\"ev\":[]", "message 2 is neither initial nor pending");
    damaged(
        "[\"g\"],[\"r\",0,1]",
        "[\"r\",0,1],[\"g\"]",
        "message 1 is neither initial nor pending",
    );
    damaged("[\"r\",0,1]", "[\"g\"]", "event 5 (message 1): a get may only be the first");
    damaged("[\"r\",1,-1]", "[\"g\"]", "event 2 (message 0): a get may only be the first");
    damaged("[\"p\",2]", "[\"p\",3]", "event 3: posts message 3, which does not exist");
    damaged("[\"p\",2]", "[\"p\",0]", "event 3: posts message 0, which is initial");
    damaged("[\"p\",2]", "[\"p\",1]", "message 1 is posted twice: by event 0 and by event 3");
    damaged("[\"p\",2]", "[\"r\",1,-1]", "message 2 is not initial, but no event posts it");
    damaged("[\"w\",0]", "[\"w\",7]", "event 1: variable 7 does not exist");
    damaged("[\"r\",1,-1]", "[\"r\",2,-1]", "event 2: variable 2 does not exist");
    damaged("[\"r\",0,1]", "[\"r\",0,77]", "event 5: reads from event 77, which does not exist");
    damaged("[\"r\",0,1]", "[\"r\",0,0]", "event 5: reads from event 0, which is not a write");
    damaged(
        "[\"r\",0,1]",
        "[\"r\",0,6]",
        "event 5: reads variable 0 from event 6, a write of variable 1",
    );
    damaged("[[1],[6]]", "[[1]]", "co has 1 lists, but there are 2 variables");
    damaged("[[1],[6]]", "[[1],[]]", "co of variable 1: the write 6 is missing");
    damaged("[[1],[6]]", "[[1,1],[6]]", "co of variable 0: event 1 is listed twice");
    damaged("[[1],[6]]", "[[1,6],[6]]", "co of variable 0: event 6 is no write of it");
    damaged("[[1],[6]]", "[[1,99],[6]]", "co of variable 0: event 99 is no write of it");
    damaged("[[0,1]]", "[[0,7]]", "hb: event 7 does not exist");
}

/// Handlers and variables are only numbers: large ones must not be memory.
#[test]
fn large_numbers_cost_nothing() {
    let many = GOOD.replacen("\"handlers\":2", "\"handlers\":4294967295", 1);
    assert_eq!(format::parse(many.as_bytes()).expect("well-formed").handlers(), u32::MAX);
    damaged(
        "\"vars\":2",
        "\"vars\":4294967295",
        "co has 2 lists, but there are 4294967295 variables",
    );
}

/// A gigabyte of zeros, plain and as a bomb: refused after the first look.
#[test]
fn a_gigabyte_of_zeros() {
    let zeros = || std::io::repeat(0).take(1 << 30);
    let error = read::read(zeros(), read::DEFAULT_LIMIT).expect_err("no trace");
    assert!(matches!(error, read::ReadError::NotAnObject), "{error}");
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    std::io::copy(&mut zeros().take(64 << 20), &mut bomb).expect("in memory");
    let bomb = bomb.finish().expect("in memory");
    let error = read::read(&bomb[..], read::DEFAULT_LIMIT).expect_err("no trace");
    assert!(matches!(error, read::ReadError::NotAnObject), "{error}");
}

/// A bomb that begins like a trace: stopped at the limit.
#[test]
fn a_bomb_that_looks_like_json() {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    bomb.write_all(b"{\"name\":\"").expect("in memory");
    std::io::copy(&mut std::io::repeat(b' ').take(8 << 20), &mut bomb).expect("in memory");
    let bomb = bomb.finish().expect("in memory");
    let error = read::read(&bomb[..], 1 << 20).expect_err("no trace");
    assert!(matches!(error, read::ReadError::TooLarge { limit: 1_048_576 }), "{error}");
    assert!(error.to_string().contains("more than 1048576 bytes"));
}

#[test]
fn damaged_gzip() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(GOOD.as_bytes()).expect("in memory");
    let gzip = gzip.finish().expect("in memory");
    assert!(read::read(&gzip[..], read::DEFAULT_LIMIT).is_ok());
    for length in 2..gzip.len() {
        assert!(read::read(&gzip[..length], read::DEFAULT_LIMIT).is_err(), "cut at {length}");
    }
    let mut damaged = gzip.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    assert!(read::read(&damaged[..], read::DEFAULT_LIMIT).is_err());
    assert!(
        read::read_file("no/such/file.json")
            .expect_err("no file")
            .to_string()
            .contains("cannot read the trace")
    );
}

/// Every cut and every changed byte of the good file: an error or a trace, never a panic.
#[test]
fn cut_and_changed_bytes_never_panic() {
    let bytes = GOOD.as_bytes();
    for length in 0..bytes.len() {
        assert!(read::read(&bytes[..length], read::DEFAULT_LIMIT).is_err(), "cut at {length}");
    }
    let mut accepted = 0;
    for index in 0..bytes.len() {
        for replacement in *b"0-[]{}\",:gx9\0\xff" {
            let mut changed = bytes.to_vec();
            changed[index] = replacement;
            accepted += usize::from(read::read(&changed[..], read::DEFAULT_LIMIT).is_ok());
        }
    }
    assert!(accepted > 0 && accepted < bytes.len() * 5, "{accepted}");
}
