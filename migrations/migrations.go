// Package migrations holds the schema of board.db as numbered goose files. A file is never edited after a release; the
// newest number is the database's user_version (DB-3). It holds text only: package board applies it.
package migrations

import "embed"

// FS holds the migration files, named NNNNN_what_it_does.sql.
//
//go:embed *.sql
var FS embed.FS

// Newest is the number of the newest migration and the user_version of an up-to-date database.
const Newest = 2
