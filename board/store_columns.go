package board

// The columns of each table as its Go type scans them. NULLs that mean "none" become the zero value here, so that the
// types have no pointers but where unknown and zero differ.
const (
	cardColumns = planColumns + `,
		c.title, c.body, c.satisfies, c.every, c.created_by, coalesce(c.idempotency_key, '') AS idempotency_key,
		c.updated_at_ms, c.ended_at_ms, c.archived_at_ms`

	// planColumns are those of the index cards_plan, which a planning read never leaves (DB-4).
	planColumns = `
		c.id, c.board, c.number, c.status, c.priority, c.assignee, c.host, c.model, c.effort,
		coalesce(c.parent, '') AS parent, c.owns, c.labels, c.workspace,
		c.not_before_at_ms, c.ready_since_at_ms, c.start_requested_at_ms, coalesce(c.max_runs, 0) AS max_runs,
		c.failures, c.handovers, c.moves, c.unanswered, c.round_runs, c.attempts, c.counters,
		c.clean_start, coalesce(c.current_run, 0) AS current_run, c.revision, c.created_at_ms`

	runColumns = `
		r.id, r.card, r.board, r.attempt, r.status, r.role, r.slot, r.profile, r.executor, coalesce(r.clone, 0) AS clone,
		r.harness, r.model, r.effort, r.surface, r.host, r.mode, coalesce(r.resumes, 0) AS resumes, r.state,
		r.launch_attempt, r.spawned_at_ms, coalesce(r.session, 0) AS session,
		coalesce(r.verdict, '') AS verdict, r.verdict_reason, r.verdict_at_ms,
		coalesce(r.stop_outcome, '') AS stop_outcome, r.stop_reason, r.stop_actor, r.stop_at_ms,
		coalesce(r.outcome, '') AS outcome, r.reason, r.error_class, r.exit_code, r.signal,
		r.workspace, r.branch, r.base_commit, r.head_commit, r.over_cap,
		r.claimed_at_ms, r.launched_at_ms, r.progress_at_ms, r.ended_at_ms, r.summary,
		r.tokens_in, r.tokens_out, r.tokens_cached, r.cost_micros, r.cost_estimated, r.turns,
		r.independent, r.dependent_because, r.metadata`

	sessionColumns = `
		s.id, s.card, s.board, s.slot, s.role, s.profile, s.origin, s.launch_key, s.secret_hash, s.harness,
		coalesce(s.harness_session, '') AS harness_session, s.executor, s.model, s.host, s.surface, s.interactive, s.workspace,
		s.stop_reason, s.stop_actor, s.stop_at_ms, s.supervisor, s.process,
		s.tmux_socket, s.tmux_session, s.tmux_window, s.tmux_pane, s.state, s.waiting_for,
		coalesce(s.first_run, 0) AS first_run, coalesce(s.last_run, 0) AS last_run, s.started_at_ms, s.idle_since_at_ms,
		s.last_seen_at_ms, s.forgotten_at_ms, s.transcript, s.tokens_in, s.tokens_out, s.tokens_cached, s.cost_micros, s.ended_at_ms`

	leaseColumns = `
		l.id, l.executor, l.role, coalesce(l.clone, 0) AS clone, l.card, l.slot, l.run, coalesce(l.session, 0) AS session,
		coalesce(l.because, '') AS because, l.taken_at_ms, l.released_at_ms`

	blockColumns = `
		b.id, b.card, coalesce(b.run, 0) AS run, b.kind, b.text, b.asked_by, b.asked_at_ms,
		coalesce(b.answer, '') AS answer, coalesce(b.answered_by, '') AS answered_by, b.answered_at_ms`

	exclusionColumns = `
		x.id, x.executor, x.account, x.kind, x.reason, x.until_at_ms, x.probe_at_ms, x.fingerprint, x.created_at_ms`

	pauseColumns = `p.id, p.kind, p.target, p.until_at_ms, p.reason, p.actor, p.created_at_ms`

	boardColumns = `b.slug, b.name, b.repo, b.base_branch, b.workflow, b.weight, b.created_at_ms`
)
