// Package workspace makes the folders that agents work in, keeps what they made, and takes the folders away again.
//
// A workspace is a git worktree under the home, the repository itself, a folder that a person named, or a scratch
// folder (Kind). Git is the real git program, always run for the workspace itself: variables that point it elsewhere
// are taken out of its environment, hooks do not run, nothing is signed and nothing is asked (WSP-9).
//
// Two promises stand above all others. Work is never lost: a folder goes only when everything in it is proved to be
// elsewhere (WSP-4), and a fresh start renames the old one. And every trouble has a text of its own (WSP-6), wrapped
// around a sentinel that a caller can act on.
//
// The package knows nothing of the database or of how cards move.
package workspace
