package bench

import "fmt"

// Roster has one executor, whose work is to sleep. An hour bounds its life, should nobody stop it.
const Roster = `executors:
  - id: sleeper
    harness: exec
    command: ["sleep", "3600"]
    roles: [coder]
    slots: 64
`

// Config names the home host as the seeded rows do, and keeps an ending from starting a tick of its own.
const Config = `host: base
poke: false
`

// Workflow is that of every seeded board: ordered by plain columns, three caps, the first of them on the starts of a tick.
func Workflow(starts int) string {
	return fmt.Sprintf(`version: 1
name: default
profiles:
  coder: {role: coder, surface: headless, permissions: edit}
initial: todo
statuses:
  backlog: {description: Not to be started.}
  todo: {description: Ready to start.}
  doing: {workspace: scratch, run: {profile: coder, session: worker, prompt: 'Do {{ card.title }}', limits: {runtime: 7d, quiet: 7d}}}
  done: {terminal: true}
events:
  start:
    - {from: todo, to: doing}
    - {from: doing}
  done:
    - {from: doing, by: [worker, board], to: done, progress: true}
dispatch:
  start: start
  order: [-card.priority, card.created_at]
  capacity:
    - {name: starts per tick, counts: starts, max: %d}
    - {name: sessions of a board, counts: sessions, scope: board, max: 40}
    - {name: sessions on a host, counts: sessions, scope: host, max: 40}
`, starts)
}
