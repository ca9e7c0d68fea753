use super::*;
use crate::rewrite::Edits;

fn rewritten(text: &str, goal: Goal) -> String {
    let (edits, _) = script(text, goal, "$", 0, 1).expect("it parses");
    Edits::new(edits).apply(text)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(rewritten(text, Goal::Script), expected);
}

#[test]
fn properties() {
    check("a.b", " $r( $v(\"a\",1,a),\"b\",2).b");
    check("a.b=1", " $w( $v(\"a\",1,a),\"b\",2).b=1");
    check("a[i]+=1", " $o( $v(\"a\",1,a))[ $ku( $v(\"i\",3,i),2)]+=1");
    check("a[0]", " $r( $v(\"a\",1,a),\"0\",2)[0]");
    check("a.push(1)", " $m( $v(\"a\",1,a),\"push\",2).push(1)");
    check("return_[1].x", " $r( $r( $v(\"return_\",1,return_),\"1\",2)[1],\"x\",3).x");
}

#[test]
fn optional_chains_keep_their_short_way_out() {
    check("a?.b.c", " $r( $v(\"a\",1,a),\"b\",2)?.b.c");
    check("a?.b(c.d)", " $m( $v(\"a\",1,a),\"b\",2)?.b( $r( $v(\"c\",3,c),\"d\",4).d)");
}

#[test]
fn variables() {
    check("x=1", " $a(\"x\",1,x=1)");
    check("x++", " $a2(\"x\",1,x++,x)");
    check("typeof x", " $v(\"x\",1,typeof x)");
    check("var q=[],r", "var q=[],r;$a(\"q\",1,q);");
    check("({x})", "({x: $v(\"x\",1,x)})");
    check("new X(1)", "new  ( $v(\"X\",1,X))(1)");
    check("import(m)", " $i( $v(\"m\",2,m),1,function $import(u){return import(u)})");
    check("eval(s)", "eval( $e( $v(\"s\",1,s)))");
}

#[test]
fn only_variables_that_closures_share_and_that_change_are_reported() {
    check(
        "(function(){var n=0,k=1,l=2;l++;return()=>{n++;return k}})",
        "(function(){;const $S1_1=$n();var n=0,k=1,l=2;l++;return()=>{ $b2($S1_1,\"n\",1,n++,n);return k}})",
    );
}

#[test]
fn names_inside_with_are_left_alone() {
    check("with(a.b){c.d}", "with( $r( $v(\"a\",1,a),\"b\",2).b){c.d}");
}

#[test]
fn keywords_stay_apart() {
    check("function f(){return[1].x}", ";$d(1,\"f\");function f(){return $r([1],\"x\",2).x}");
}

#[test]
fn a_module_is_no_script() {
    assert!(script("export let x;", Goal::Script, "$", 0, 1).is_none());
    assert!(script("export let x;", Goal::Module, "$", 0, 1).is_some());
}

#[test]
fn a_syntax_error_is_left_to_the_browser() {
    assert!(script("var = ;", Goal::Script, "$", 0, 1).is_none());
}

#[test]
fn patterns_write_their_variables_and_read_their_keys() {
    check(
        "[a,o.b]=c",
        " $z([a, $w( $v(\"o\",2,o),\"b\",3).b]= $y( $v(\"c\",4,c),5), $a(\"a\",1,a))",
    );
    check("({a:x}=c)", "( $z({a:x}= $x( $v(\"c\",2,c),3,\"a\"), $a(\"x\",1,x)))");
    check("var{a}=c", "var{a}= $x( $v(\"c\",1,c),2,\"a\");$a(\"a\",3,a);");
    check("f(...c)", " $v(\"f\",1,f)(... $y( $v(\"c\",2,c),3))");
}

#[test]
fn loops_read_what_they_go_through_and_write_their_variable() {
    check("for(x of l)y", "for(x of  $y( $v(\"l\",2,l),3)){ $a(\"x\",1,x); $v(\"y\",4,y)}");
    check("for(const x of l);", "for(const x of  $y( $v(\"l\",1,l),2));");
}

#[test]
fn keys_and_private_fields_are_read() {
    check("\"k\" in o", " $q(\"k\") in  $h( $v(\"o\",1,o),2)");
    check("class C{#v;f(){return this.#v++}}", "class C{#v;f(){return  $pu(this,\"#v\",1).#v++}}");
}

#[test]
fn variables_of_blocks_and_modules_have_records() {
    check(
        "{let n=0;f=()=>n++}",
        ";var $S1_0=$n();{let n=0; $a(\"f\",1,f=()=> $b2($S1_0,\"n~1\",2,n++,n))}",
    );
    assert_eq!(
        rewritten("let n=0;export const f=()=>n++", Goal::Module),
        ";var $S1_0=$n();let n=0;export const f=()=> $b2($S1_0,\"n\",1,n++,n)"
    );
}

#[test]
fn variables_that_modules_share_are_known_by_their_exported_names() {
    let module = |text| rewritten(text, Goal::Module);
    assert_eq!(
        module("let n=0;export{n as m};export const f=()=>n++"),
        "let n=0;export{n as m};export const f=()=> $a2(\"exported m\",1,n++,n)"
    );
    assert_eq!(module("import{m}from'./m';m;"), "import{m}from'./m'; $v(\"exported m\",1,m);");
    // What closures share has a record, and is only listed here.
    assert_eq!(
        module("const f=()=>1;export{f};export{g}from'./g'"),
        "const f=()=>1;export{f};export{g}from'./g'"
    );
}
