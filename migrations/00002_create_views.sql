-- +goose Up

CREATE VIEW run_history AS
SELECT
  r.id AS run,
  r.card AS card,
  r.board AS board,
  c.title AS title,
  r.attempt AS attempt,
  r.status AS status,
  r.role AS role,
  r.slot AS slot,
  r.profile AS profile,
  r.executor AS executor,
  r.clone AS clone,
  r.harness AS harness,
  r.model AS model,
  r.effort AS effort,
  r.surface AS surface,
  r.host AS host,
  r.mode AS mode,
  r.state AS state,
  r.verdict AS verdict,
  r.outcome AS outcome,
  r.reason AS reason,
  r.error_class AS error_class,
  r.exit_code AS exit_code,
  r.session AS session,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.claimed_at_ms / 1000.0, 'unixepoch') AS claimed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.launched_at_ms / 1000.0, 'unixepoch') AS launched_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_at_ms / 1000.0, 'unixepoch') AS ended_at,
  round((r.ended_at_ms - coalesce(r.launched_at_ms, r.claimed_at_ms)) / 1000.0, 3) AS duration_s,
  r.tokens_in AS tokens_in,
  r.tokens_out AS tokens_out,
  r.tokens_cached AS tokens_cached,
  r.cost_micros / 1e6 AS cost_usd,
  r.cost_estimated AS cost_estimated,
  r.turns AS turns,
  r.independent AS independent,
  r.workspace AS workspace,
  r.branch AS branch,
  r.base_commit AS base_commit,
  r.head_commit AS head_commit,
  r.summary AS summary
FROM task_runs r
JOIN cards c ON c.id = r.card;

CREATE VIEW live_runs AS
SELECT
  r.id AS run,
  r.card AS card,
  r.board AS board,
  c.title AS title,
  r.status AS status,
  r.slot AS slot,
  r.role AS role,
  r.profile AS profile,
  CASE WHEN r.clone IS NULL THEN r.executor ELSE r.executor || '#' || r.clone END AS executor,
  r.harness AS harness,
  r.model AS model,
  r.surface AS surface,
  r.host AS host,
  r.state AS state,
  r.verdict AS verdict,
  r.session AS session,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.claimed_at_ms / 1000.0, 'unixepoch') AS claimed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.launched_at_ms / 1000.0, 'unixepoch') AS launched_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.progress_at_ms / 1000.0, 'unixepoch') AS progress_at
FROM task_runs r
JOIN cards c ON c.id = r.card
WHERE r.ended_at_ms IS NULL;

CREATE VIEW card_board AS
SELECT
  c.id AS card,
  c.board AS board,
  c.title AS title,
  c.status AS status,
  c.priority AS priority,
  c.assignee AS assignee,
  c.parent AS parent,
  c.current_run AS run,
  c.failures AS failures,
  h.code AS hold,
  h.cap AS hold_cap,
  h.grp AS hold_group,
  h.key AS hold_key,
  h.text AS hold_text,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.since_at_ms / 1000.0, 'unixepoch') AS hold_since,
  (SELECT group_concat(s.executor, ' -> ')
     FROM (SELECT r.executor AS executor, lag(r.executor) OVER (ORDER BY r.id) AS before
             FROM task_runs r
            WHERE r.card = c.id AND r.role = 'coder'
            ORDER BY r.id) s
    WHERE s.before IS NOT s.executor) AS executor_history,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.created_at_ms / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.updated_at_ms / 1000.0, 'unixepoch') AS updated_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.ended_at_ms / 1000.0, 'unixepoch') AS ended_at
FROM cards c
LEFT JOIN holds h ON h.card = c.id
WHERE c.archived_at_ms IS NULL;

CREATE VIEW executor_use AS
SELECT
  e.executor AS executor,
  (SELECT count(*) FROM leases l WHERE l.executor = e.executor AND l.released_at_ms IS NULL) AS leases_now,
  (SELECT count(*) FROM leases l WHERE l.executor = e.executor AND l.released_at_ms IS NULL AND l.role = 'coder') AS coder_leases_now,
  round((SELECT coalesce(sum(
      min(coalesce(l.released_at_ms, unixepoch() * 1000), unixepoch() * 1000) - max(l.taken_at_ms, (unixepoch() - 86400) * 1000)), 0)
    FROM leases l
    WHERE l.executor = e.executor AND (l.released_at_ms IS NULL OR l.released_at_ms > (unixepoch() - 86400) * 1000)) / 86400000.0, 4) AS busy_share_24h,
  (SELECT count(*) FROM task_runs r WHERE r.executor = e.executor AND r.claimed_at_ms > (unixepoch() - 86400) * 1000) AS runs_24h,
  (SELECT coalesce(sum(r.cost_micros), 0) / 1e6 FROM task_runs r
    WHERE r.executor = e.executor AND r.claimed_at_ms > (unixepoch() - 86400) * 1000) AS cost_usd_24h
FROM executor_turns e;

CREATE VIEW daily_cost AS
SELECT
  date(r.claimed_at_ms / 1000.0, 'unixepoch') AS day,
  r.board AS board,
  r.executor AS executor,
  r.model AS model,
  count(*) AS runs,
  sum(r.tokens_in) AS tokens_in,
  sum(r.tokens_out) AS tokens_out,
  coalesce(sum(r.cost_micros), 0) / 1e6 AS cost_usd,
  sum(r.cost_micros IS NULL) AS runs_of_unknown_cost
FROM task_runs r
GROUP BY day, r.board, r.executor, r.model;

CREATE VIEW waiting AS
SELECT
  h.card AS card,
  c.board AS board,
  c.title AS title,
  c.status AS status,
  c.priority AS priority,
  h.code AS code,
  h.cap AS cap,
  h.grp AS "group",
  h.key AS key,
  h.text AS text,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.since_at_ms / 1000.0, 'unixepoch') AS since,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.not_before_at_ms / 1000.0, 'unixepoch') AS not_before
FROM holds h
JOIN cards c ON c.id = h.card;
PRAGMA user_version = 2;

-- +goose Down
SELECT RAISE(ABORT, 'a board is not taken back to before its first migration');
