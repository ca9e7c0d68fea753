//! Pages in a real browser, which all tests share.

mod callbacks;
#[path = "../common/mod.rs"]
mod common;
mod figure1;
mod orders;
mod packages;
mod pages;
mod races;
mod sites;
