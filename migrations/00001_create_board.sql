-- +goose Up

CREATE TABLE boards (
  slug          TEXT    NOT NULL PRIMARY KEY,
  name          TEXT    NOT NULL,
  repo          TEXT    NOT NULL DEFAULT '', -- absolute path of the repository; '' = none
  base_branch   TEXT    NOT NULL DEFAULT '',
  workflow      TEXT    NOT NULL,
  weight        INTEGER NOT NULL DEFAULT 1,
  next_number   INTEGER NOT NULL DEFAULT 1,  -- the number of the next card
  created_at_ms INTEGER NOT NULL,
  CONSTRAINT boards_slug_form CHECK (slug GLOB '[a-z]*' AND slug NOT GLOB '*[^a-z0-9-]*'),
  CONSTRAINT boards_weight_positive CHECK (weight >= 1)
) STRICT;

CREATE TABLE cards (
  id                    TEXT    NOT NULL PRIMARY KEY, -- <slug>-<number>
  board                 TEXT    NOT NULL REFERENCES boards (slug),
  number                INTEGER NOT NULL,
  title                 TEXT    NOT NULL,
  body                  TEXT    NOT NULL DEFAULT '',
  status                TEXT    NOT NULL,
  priority              INTEGER NOT NULL DEFAULT 0,   -- higher first
  assignee              TEXT    NOT NULL DEFAULT '',  -- a profile; '' = the workflow's choice
  host                  TEXT    NOT NULL DEFAULT '',  -- target machine of a pane
  model                 TEXT    NOT NULL DEFAULT '',  -- the card's own override
  effort                TEXT    NOT NULL DEFAULT '',
  parent                TEXT    REFERENCES cards (id),
  owns                  TEXT    NOT NULL DEFAULT '[]',
  satisfies             TEXT    NOT NULL DEFAULT '[]',
  labels                TEXT    NOT NULL DEFAULT '{}',
  workspace             TEXT    NOT NULL DEFAULT '',  -- overrides the status's workspace
  not_before_at_ms      INTEGER,
  ready_since_at_ms     INTEGER NOT NULL,             -- when it last became startable
  start_requested_at_ms INTEGER,
  every                 TEXT    NOT NULL DEFAULT '',
  max_runs              INTEGER,                      -- overrides the workflow's lifetime_runs
  failures              INTEGER NOT NULL DEFAULT 0,   -- in a row
  handovers             INTEGER NOT NULL DEFAULT 0,   -- in the present status
  moves                 INTEGER NOT NULL DEFAULT 0,   -- a reasoning run moved elsewhere, in the present status
  unanswered            INTEGER NOT NULL DEFAULT 0,   -- runs in a row that ended without a verdict
  round_runs            INTEGER NOT NULL DEFAULT 0,   -- of this round
  attempts              INTEGER NOT NULL DEFAULT 0,   -- the number of the last run
  counters              TEXT    NOT NULL DEFAULT '{}', -- what the workflow's `count` actions counted
  clean_start           INTEGER NOT NULL DEFAULT 0,   -- the next run starts on a new worktree
  aside_declined        INTEGER NOT NULL DEFAULT 0,
  aside_conflict        INTEGER NOT NULL DEFAULT 0,
  current_run           INTEGER REFERENCES task_runs (id) DEFERRABLE INITIALLY DEFERRED,
  revision              INTEGER NOT NULL DEFAULT 1,
  created_by            TEXT    NOT NULL DEFAULT '',
  idempotency_key       TEXT,
  created_at_ms         INTEGER NOT NULL,
  updated_at_ms         INTEGER NOT NULL,
  ended_at_ms           INTEGER,                      -- set while its status is terminal
  archived_at_ms        INTEGER,
  CONSTRAINT cards_id_form CHECK (id = board || '-' || number),
  CONSTRAINT cards_title_given CHECK (title <> ''),
  CONSTRAINT cards_owns_json CHECK (json_valid(owns)),
  CONSTRAINT cards_satisfies_json CHECK (json_valid(satisfies)),
  CONSTRAINT cards_counters_json CHECK (json_valid(counters)),
  CONSTRAINT cards_labels_json CHECK (json_valid(labels)),
  CONSTRAINT cards_counters CHECK (failures >= 0 AND handovers >= 0 AND moves >= 0 AND unanswered >= 0 AND round_runs >= 0 AND attempts >= 0),
  CONSTRAINT cards_flags CHECK (clean_start IN (0, 1) AND aside_declined IN (0, 1) AND aside_conflict IN (0, 1)),
  CONSTRAINT cards_max_runs_positive CHECK (max_runs IS NULL OR max_runs >= 1)
) STRICT;

CREATE UNIQUE INDEX cards_key ON cards (board, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX cards_parent ON cards (parent) WHERE parent IS NOT NULL;
-- Cards that have run: only they have conversations to go on with and work to look at.
CREATE INDEX cards_tried ON cards (id) WHERE attempts > 0 AND ended_at_ms IS NULL AND archived_at_ms IS NULL;
-- What planning reads, and nothing else of a card (DB-4). The two columns of its condition are in it as well, since SQLite
-- reads them from the row otherwise, and the index does not cover.
CREATE INDEX cards_plan ON cards (
  board, status, priority DESC, created_at_ms, id, number, assignee, host, model, effort, parent, owns, labels, workspace,
  not_before_at_ms, ready_since_at_ms, start_requested_at_ms, failures, handovers, moves, unanswered, round_runs, attempts,
  max_runs, counters, clean_start, current_run, revision, ended_at_ms, archived_at_ms
) WHERE ended_at_ms IS NULL AND archived_at_ms IS NULL;

CREATE TABLE card_links (
  blocker       TEXT    NOT NULL REFERENCES cards (id),
  blocked       TEXT    NOT NULL REFERENCES cards (id),
  waived        INTEGER NOT NULL DEFAULT 0, -- a person said "go on without it"
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (blocker, blocked),
  CONSTRAINT card_links_not_self CHECK (blocker <> blocked),
  CONSTRAINT card_links_waived CHECK (waived IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX card_links_blocked ON card_links (blocked, blocker);

CREATE TABLE blocks (
  id             INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  card           TEXT    NOT NULL REFERENCES cards (id),
  run            INTEGER REFERENCES task_runs (id),
  kind           TEXT    NOT NULL DEFAULT '',
  text           TEXT    NOT NULL,
  asked_by       TEXT    NOT NULL,
  asked_at_ms    INTEGER NOT NULL,
  answer         TEXT,
  answered_by    TEXT,
  answered_at_ms INTEGER,
  CONSTRAINT blocks_answered CHECK ((answered_at_ms IS NULL) = (answered_by IS NULL))
) STRICT;
CREATE INDEX blocks_open ON blocks (card) WHERE answered_at_ms IS NULL;
CREATE INDEX blocks_card ON blocks (card, id);

CREATE TABLE comments (
  id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  card          TEXT    NOT NULL REFERENCES cards (id),
  run           INTEGER REFERENCES task_runs (id),
  author        TEXT    NOT NULL,
  text          TEXT    NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX comments_card ON comments (card, id);

CREATE TABLE evidence (
  id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  card          TEXT    NOT NULL REFERENCES cards (id),
  run           INTEGER REFERENCES task_runs (id),
  name          TEXT    NOT NULL,
  path          TEXT,
  text          TEXT,
  created_at_ms INTEGER NOT NULL,
  CONSTRAINT evidence_path_or_text CHECK ((path IS NULL) <> (text IS NULL))
) STRICT;
CREATE INDEX evidence_card ON evidence (card, id);

CREATE TABLE pauses (
  id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  kind          TEXT    NOT NULL,
  target        TEXT    NOT NULL, -- card id, board slug, executor id, cap name; '' for the home
  until_at_ms   INTEGER,          -- NULL = until resumed
  reason        TEXT    NOT NULL DEFAULT '',
  actor         TEXT    NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (kind, target),
  CONSTRAINT pauses_kind CHECK (kind IN ('card', 'board', 'executor', 'cap', 'home'))
) STRICT;

CREATE TABLE task_runs (
  id                INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  card              TEXT    NOT NULL REFERENCES cards (id),
  board             TEXT    NOT NULL,
  attempt           INTEGER NOT NULL,
  status            TEXT    NOT NULL,              -- the card's status that it is an attempt at
  role              TEXT    NOT NULL,
  slot              TEXT    NOT NULL,
  profile           TEXT    NOT NULL,
  executor          TEXT    NOT NULL,
  clone             INTEGER,                       -- NULL when the lease is borrowed
  harness           TEXT    NOT NULL,
  model             TEXT    NOT NULL DEFAULT '',
  effort            TEXT    NOT NULL DEFAULT '',
  surface           TEXT    NOT NULL,
  host              TEXT    NOT NULL,              -- execution host
  mode              TEXT    NOT NULL,
  resumes           INTEGER,                       -- the session whose conversation it goes on with
  state             TEXT    NOT NULL,
  launch_attempt    INTEGER NOT NULL DEFAULT 0,
  spawned_at_ms     INTEGER,
  session           INTEGER,                       -- set with state running
  verdict           TEXT,
  verdict_reason    TEXT    NOT NULL DEFAULT '',
  verdict_at_ms     INTEGER,
  stop_outcome      TEXT,
  stop_reason       TEXT    NOT NULL DEFAULT '',
  stop_actor        TEXT    NOT NULL DEFAULT '',
  stop_at_ms        INTEGER,
  outcome           TEXT,
  reason            TEXT    NOT NULL DEFAULT '',
  error_class       TEXT    NOT NULL DEFAULT '',
  exit_code         INTEGER,
  signal            TEXT    NOT NULL DEFAULT '',
  workspace         TEXT    NOT NULL DEFAULT '',
  branch            TEXT    NOT NULL DEFAULT '',
  base_commit       TEXT    NOT NULL DEFAULT '',
  head_commit       TEXT    NOT NULL DEFAULT '',
  over_cap          INTEGER NOT NULL DEFAULT 0,
  claimed_at_ms     INTEGER NOT NULL,
  launched_at_ms    INTEGER,
  progress_at_ms    INTEGER,
  ended_at_ms       INTEGER,
  summary           TEXT    NOT NULL DEFAULT '',
  tokens_in         INTEGER,
  tokens_out        INTEGER,
  tokens_cached     INTEGER,
  cost_micros       INTEGER,                       -- NULL = unknown
  cost_estimated    INTEGER NOT NULL DEFAULT 0,
  turns             INTEGER,
  independent       INTEGER,                       -- NULL where the question does not arise
  dependent_because TEXT    NOT NULL DEFAULT '',   -- nobody, held, out
  metadata          TEXT    NOT NULL DEFAULT '{}',
  UNIQUE (card, attempt),
  CONSTRAINT task_runs_role CHECK (role IN ('planner', 'coder', 'reviewer', 'judge', 'verifier')),
  CONSTRAINT task_runs_surface CHECK (surface IN ('headless', 'pane')),
  CONSTRAINT task_runs_mode CHECK (mode IN ('fresh', 'resume', 'kept')),
  CONSTRAINT task_runs_state CHECK (state IN ('claimed', 'running', 'waiting_host', 'ended')),
  CONSTRAINT task_runs_ended CHECK ((state = 'ended') = (ended_at_ms IS NOT NULL)),
  CONSTRAINT task_runs_outcome_at_end CHECK ((outcome IS NULL) = (ended_at_ms IS NULL)),
  CONSTRAINT task_runs_outcome CHECK (outcome IS NULL OR outcome IN (
    'completed', 'failed', 'crashed', 'timed_out', 'quiet', 'refused', 'spawn_failed', 'rate_limited', 'usage_limited',
    'unauthenticated', 'quota', 'model_unavailable', 'harness_missing', 'overloaded', 'outage', 'context_overflow',
    'blocked', 'no_verdict', 'stopped', 'interrupted', 'reclaimed')),
  CONSTRAINT task_runs_stop CHECK ((stop_outcome IS NULL) = (stop_at_ms IS NULL)),
  CONSTRAINT task_runs_stop_outcome CHECK (stop_outcome IS NULL OR stop_outcome IN (
    'stopped', 'timed_out', 'quiet', 'interrupted', 'reclaimed', 'crashed', 'blocked')),
  CONSTRAINT task_runs_verdict CHECK ((verdict IS NULL) = (verdict_at_ms IS NULL)),
  CONSTRAINT task_runs_session_when_running CHECK (state NOT IN ('running', 'waiting_host') OR session IS NOT NULL),
  CONSTRAINT task_runs_metadata_json CHECK (json_valid(metadata)),
  CONSTRAINT task_runs_flags CHECK (over_cap IN (0, 1) AND cost_estimated IN (0, 1) AND (independent IS NULL OR independent IN (0, 1)))
) STRICT;
-- MOD-1: at most one run of a card that has not ended.
CREATE UNIQUE INDEX task_runs_open ON task_runs (card) WHERE ended_at_ms IS NULL;
CREATE INDEX task_runs_claimed ON task_runs (claimed_at_ms, id);
CREATE INDEX task_runs_executor ON task_runs (executor, ended_at_ms, id) WHERE ended_at_ms IS NOT NULL;
CREATE INDEX task_runs_ended ON task_runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

-- MOD-2: cards.current_run is NULL exactly when no run of the card is open.
-- +goose StatementBegin
CREATE TRIGGER task_runs_current_set AFTER INSERT ON task_runs WHEN NEW.ended_at_ms IS NULL
BEGIN UPDATE cards SET current_run = NEW.id WHERE id = NEW.card; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER task_runs_current_clear AFTER UPDATE OF ended_at_ms ON task_runs WHEN NEW.ended_at_ms IS NOT NULL
BEGIN UPDATE cards SET current_run = NULL WHERE id = NEW.card AND current_run = NEW.id; END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER cards_current_run_guard AFTER UPDATE OF current_run ON cards
WHEN NEW.current_run IS NOT (SELECT id FROM task_runs WHERE card = NEW.id AND ended_at_ms IS NULL)
BEGIN SELECT RAISE(ABORT, 'cards.current_run names no open run of the card, or hides one'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER task_runs_never_reopen BEFORE UPDATE OF ended_at_ms ON task_runs WHEN OLD.ended_at_ms IS NOT NULL AND NEW.ended_at_ms IS NULL
BEGIN SELECT RAISE(ABORT, 'an ended run is never opened again'); END;
-- +goose StatementEnd

CREATE TABLE sessions (
  id               INTEGER NOT NULL PRIMARY KEY, -- that of its first run; negative when adopted
  card             TEXT    NOT NULL REFERENCES cards (id),
  board            TEXT    NOT NULL,
  slot             TEXT    NOT NULL,
  role             TEXT    NOT NULL,
  profile          TEXT    NOT NULL DEFAULT '',
  origin           TEXT    NOT NULL,
  launch_key       TEXT    NOT NULL DEFAULT '',
  secret_hash      TEXT    NOT NULL DEFAULT '',
  harness          TEXT    NOT NULL DEFAULT '',
  harness_session  TEXT,                         -- NULL until known
  executor         TEXT    NOT NULL DEFAULT '',
  model            TEXT    NOT NULL DEFAULT '',  -- as seen to run, else as planned
  host             TEXT    NOT NULL DEFAULT '',
  surface          TEXT    NOT NULL DEFAULT '',
  interactive      INTEGER NOT NULL DEFAULT 0,
  workspace        TEXT    NOT NULL DEFAULT '',
  stop_reason      TEXT    NOT NULL DEFAULT '',
  stop_actor       TEXT    NOT NULL DEFAULT '',
  stop_at_ms       INTEGER,
  supervisor       TEXT    NOT NULL DEFAULT '',  -- identity: boot id, pid namespace, pid, start time, pgid
  process          TEXT    NOT NULL DEFAULT '',  -- identity of the harness
  tmux_socket      TEXT    NOT NULL DEFAULT '',
  tmux_session     TEXT    NOT NULL DEFAULT '',
  tmux_window      TEXT    NOT NULL DEFAULT '',
  tmux_pane        TEXT    NOT NULL DEFAULT '',
  state            TEXT    NOT NULL,
  waiting_for      TEXT    NOT NULL DEFAULT '',  -- what a waiting session asks a person
  first_run        INTEGER,
  last_run         INTEGER,
  started_at_ms    INTEGER NOT NULL,
  idle_since_at_ms INTEGER,
  last_seen_at_ms  INTEGER NOT NULL,
  forgotten_at_ms  INTEGER,                      -- its conversation is not to be gone on with
  transcript       TEXT    NOT NULL DEFAULT '',
  tokens_in        INTEGER NOT NULL DEFAULT 0,   -- cumulative, as the CLI reports a resumed conversation
  tokens_out       INTEGER NOT NULL DEFAULT 0,
  tokens_cached    INTEGER NOT NULL DEFAULT 0,
  cost_micros      INTEGER NOT NULL DEFAULT 0,
  ended_at_ms      INTEGER,
  CONSTRAINT sessions_role CHECK (role IN ('planner', 'coder', 'reviewer', 'judge', 'verifier')),
  CONSTRAINT sessions_origin CHECK (origin IN ('dispatched', 'adopted')),
  CONSTRAINT sessions_state CHECK (state IN ('busy', 'waiting', 'idle', 'unknown', 'ended')),
  CONSTRAINT sessions_surface CHECK (surface IN ('', 'headless', 'pane')),
  CONSTRAINT sessions_ended CHECK ((state = 'ended') = (ended_at_ms IS NOT NULL)),
  CONSTRAINT sessions_interactive CHECK (interactive IN (0, 1))
) STRICT;
CREATE INDEX sessions_open ON sessions (card, slot) WHERE ended_at_ms IS NULL;
CREATE INDEX sessions_slot ON sessions (card, slot, id);
CREATE UNIQUE INDEX sessions_secret ON sessions (secret_hash) WHERE secret_hash <> '';

-- The last session of each executor in each slot of a card: what a plan may go on with, found without reading the card's history.
CREATE TABLE conversations (
  card     TEXT    NOT NULL REFERENCES cards (id),
  slot     TEXT    NOT NULL,
  executor TEXT    NOT NULL,
  session  INTEGER NOT NULL,
  PRIMARY KEY (card, slot, executor)
) STRICT, WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER sessions_conversation AFTER INSERT ON sessions WHEN NEW.origin = 'dispatched'
BEGIN
  INSERT INTO conversations (card, slot, executor, session) VALUES (NEW.card, NEW.slot, NEW.executor, NEW.id)
  ON CONFLICT (card, slot, executor) DO UPDATE SET session = excluded.session;
END;
-- +goose StatementEnd

-- Who made the work of a card since it was last approved (ROS-13).
CREATE TABLE makers (
  card     TEXT NOT NULL REFERENCES cards (id),
  executor TEXT NOT NULL,
  PRIMARY KEY (card, executor)
) STRICT, WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER task_runs_makes AFTER UPDATE OF session ON task_runs WHEN NEW.role = 'coder' AND NEW.session IS NOT NULL
BEGIN INSERT OR IGNORE INTO makers (card, executor) VALUES (NEW.card, NEW.executor); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER task_runs_approves AFTER UPDATE OF ended_at_ms ON task_runs WHEN NEW.verdict = 'approve' AND NEW.ended_at_ms IS NOT NULL
BEGIN DELETE FROM makers WHERE card = NEW.card; END;
-- +goose StatementEnd

CREATE TABLE leases (
  id             INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  executor       TEXT    NOT NULL,
  role           TEXT    NOT NULL,
  clone          INTEGER,              -- NULL when borrowed
  card           TEXT    NOT NULL REFERENCES cards (id),
  slot           TEXT    NOT NULL,
  run            INTEGER NOT NULL REFERENCES task_runs (id),
  session        INTEGER,
  because        TEXT,
  taken_at_ms    INTEGER NOT NULL,
  released_at_ms INTEGER,
  CONSTRAINT leases_role CHECK (role IN ('planner', 'coder', 'reviewer', 'judge', 'verifier')),
  CONSTRAINT leases_clone_positive CHECK (clone IS NULL OR clone >= 1),
  CONSTRAINT leases_because CHECK (because IS NULL OR because IN ('nobody', 'held', 'out'))
) STRICT;
-- MOD-3: at most one unreleased lease per executor and clone.
CREATE UNIQUE INDEX leases_open ON leases (executor, clone) WHERE released_at_ms IS NULL AND clone IS NOT NULL;
CREATE INDEX leases_unreleased ON leases (executor, role, card, slot, run, session) WHERE released_at_ms IS NULL;
CREATE INDEX leases_run ON leases (run);

CREATE TABLE executor_turns (
  executor      TEXT    NOT NULL PRIMARY KEY,
  last_lease    INTEGER NOT NULL,   -- id of the newest lease ever taken: least recently leased first (ROS-3)
  last_at_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE exclusions (
  id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  executor      TEXT    NOT NULL DEFAULT '',
  account       TEXT    NOT NULL DEFAULT '',
  kind          TEXT    NOT NULL,
  reason        TEXT    NOT NULL,
  until_at_ms   INTEGER,
  probe_at_ms   INTEGER,
  fingerprint   TEXT    NOT NULL DEFAULT '',
  created_at_ms INTEGER NOT NULL,
  UNIQUE (executor, account, kind),
  CONSTRAINT exclusions_kind CHECK (kind IN ('until', 'health', 'config')),
  CONSTRAINT exclusions_subject CHECK ((executor = '') <> (account = '')),
  CONSTRAINT exclusions_until CHECK (kind <> 'until' OR until_at_ms IS NOT NULL)
) STRICT;

CREATE TABLE rate_limits (
  executor TEXT    NOT NULL,
  at_ms    INTEGER NOT NULL,
  run      INTEGER NOT NULL,
  PRIMARY KEY (executor, at_ms, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE observations (
  kind  TEXT    NOT NULL,
  name  TEXT    NOT NULL,
  state TEXT    NOT NULL,
  data  TEXT    NOT NULL DEFAULT '{}',
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, name),
  CONSTRAINT observations_kind CHECK (kind IN ('host', 'health', 'file')),
  CONSTRAINT observations_data_json CHECK (json_valid(data))
) STRICT, WITHOUT ROWID;

-- The last text of each workflow that loaded: what a run is settled by while the file is broken.
CREATE TABLE workflow_sources (
  name    TEXT    NOT NULL PRIMARY KEY,
  hash    TEXT    NOT NULL,
  source  TEXT    NOT NULL,
  seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE trusted (
  hash          TEXT    NOT NULL PRIMARY KEY,
  path          TEXT    NOT NULL,
  actor         TEXT    NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  id              INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  kind            TEXT    NOT NULL,
  sink            TEXT    NOT NULL,
  payload         TEXT    NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_at_ms      INTEGER NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  delivered_at_ms INTEGER
) STRICT;
CREATE INDEX outbox_due ON outbox (next_at_ms) WHERE delivered_at_ms IS NULL;

CREATE TABLE holds (
  card        TEXT    NOT NULL PRIMARY KEY REFERENCES cards (id),
  code        TEXT    NOT NULL,
  cap         TEXT    NOT NULL DEFAULT '',
  grp         TEXT    NOT NULL DEFAULT '',
  key         TEXT    NOT NULL DEFAULT '',
  text        TEXT    NOT NULL DEFAULT '', -- as it read when the hold began
  since_at_ms INTEGER NOT NULL,
  CONSTRAINT holds_code CHECK (code IN ('fault', 'paused', 'needs_person', 'blocked', 'not_before', 'no_transition', 'refused',
    'workspace', 'ineligible', 'capacity', 'roster', 'launcher'))
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at_ms   INTEGER NOT NULL,
  board   TEXT    NOT NULL DEFAULT '',
  card    TEXT    NOT NULL DEFAULT '',
  run     INTEGER,
  kind    TEXT    NOT NULL,
  actor   TEXT    NOT NULL,
  payload TEXT    NOT NULL DEFAULT '{}',
  CONSTRAINT events_payload_json CHECK (json_valid(payload))
) STRICT;
CREATE INDEX events_card ON events (card, id) WHERE card <> '';
-- +goose StatementBegin
CREATE TRIGGER events_append_only BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
-- +goose StatementEnd

CREATE TABLE ticks (
  id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  started_at_ms INTEGER NOT NULL,
  took_ms       INTEGER NOT NULL,
  idle          INTEGER NOT NULL,   -- it changed nothing; only the latest such row is kept
  ended         INTEGER NOT NULL,
  started       INTEGER NOT NULL,
  stopping      INTEGER NOT NULL,
  held          INTEGER NOT NULL,
  fault         TEXT    NOT NULL DEFAULT '',
  CONSTRAINT ticks_idle CHECK (idle IN (0, 1))
) STRICT;
CREATE INDEX ticks_idle ON ticks (id) WHERE idle = 1;
PRAGMA user_version = 1;

-- +goose Down
SELECT RAISE(ABORT, 'a board is not taken back to before its first migration');
