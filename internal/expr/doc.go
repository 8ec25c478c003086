// Package expr compiles and evaluates the expressions of workflows: booleans, whole numbers, order keys and templates,
// over the typed environment Env, and reads the one duration grammar.
//
// Each kind of expression is its own type, made by a Scope from text. Nothing is compiled before it is needed, and then
// once: a tick that asks for three of a file's twenty expressions pays for three. Check compiles at once and reports.
//
// An expression does no I/O, reads no clock but Env.Now, and is bounded: at most MaxNodes nodes, it may walk a list but
// not a list inside the walk of another, and it cannot make a range. The library is github.com/expr-lang/expr; nothing
// else in the program imports it.
package expr
