package main

import "slices"

// mutation is one line of the program made wrong, and the test that must notice.
type mutation struct {
	name string
	file string
	old  string // stands in the file exactly once
	new  string
	pkg  string // of the test
	test string
}

// The packages whose tests are asked.
const (
	inCapacity = "./capacity"
	inDispatch = "./dispatch"
)

// mutations are the mistakes that a change of capacity, claim, planner or store is most likely to make.
func mutations() []mutation {
	return slices.Concat(ofCapacity(), ofPlan(), ofClaim())
}

func ofCapacity() []mutation {
	return []mutation{
		{
			"a cap admits one too many", "capacity/judge.go",
			"l.count(v.group) >= v.limit.N-v.reserved", "l.count(v.group) > v.limit.N-v.reserved",
			inCapacity, "TestScenarios",
		},
		{
			"a card's own place is forgotten", "capacity/judge.go",
			" && !l.hasPlace(r.cap, v.group, &c.Entry)", "",
			inCapacity, "TestScenarios",
		},
		{
			"sessions are counted by card, not by slot", "capacity/place.go",
			"return place{group: group, card: o.sessionCard, slot: o.slot}", "return place{group: group, card: o.sessionCard}",
			inDispatch, "TestMakePlan_CAP6_AReviewIsAnotherSessionThanItsWorker",
		},
		{
			"a fault admits", "capacity/judge.go",
			"if v.limit.None {\n\t\treturn verdict{}", "if v.limit.None || v.limit.Fault != \"\" {\n\t\treturn verdict{}",
			inCapacity, "TestScenarios",
		},
		{
			"a reserve keeps nothing", "capacity/judge.go",
			"v.reserved = kept.N", "v.reserved = 0",
			inCapacity, "TestScenarios",
		},
		{
			"a reserve keeps the last place", "capacity/reserve.go",
			"slots.N = min(slots.N, v.limit.N-1)", "slots.N = min(slots.N, v.limit.N)",
			inCapacity, "TestScenarios",
		},
		{
			"a headless run counts on the card's host", "capacity/host.go",
			"if surface != pane {\n\t\treturn s.Host(\"\")", "if surface != pane {\n\t\treturn s.Host(cardHost)",
			inDispatch, "TestTick_CAP2_AnotherTicksHeadlessRunFillsTheHomeHost",
		},
		{
			"the window of starts is ignored", "capacity/amount.go",
			"if c.Window > 0 && (e.StartedAt.IsZero() || e.StartedAt.After(since)) {", "if c.Window > 0 && e.StartedAt.IsZero() {",
			inCapacity, "TestScenarios",
		},
		{
			"an open run spends nothing until it ends", "capacity/amount.go",
			"return max(e.CostMicros, c.assume()), false", "return e.CostMicros, false",
			inCapacity, "TestScenarios",
		},
		{
			"a person's own session is closed for room", "capacity/site.go",
			"e.Idle = session.State == Idle && !session.Adopted && ", "e.Idle = session.State == Idle && ",
			inDispatch, "TestMakePlan_CAP18_NeverClosesAnAdoptedSession",
		},
	}
}

func ofPlan() []mutation {
	return []mutation{
		{
			"a plan forgets its own starts", "dispatch/plan.go",
			"p.ledger.Take(&capacity.Candidate{Entry: s.Entry})", "_ = capacity.Candidate{}",
			inDispatch, "TestMakePlan_CAP10_CountsItsOwnStarts",
		},
		{
			"who has waited out the aging is ordered by priority", "dispatch/order.go",
			"tierStarved + int64(c.ReadySince)", "tierStarved",
			inDispatch, "TestMakePlan_DSP4_NobodyWaitsLongerThanTheBound",
		},
		{
			"what cannot be told counts as gone", "dispatch/ending.go",
			"case seen.Unsure || len(seen.Left) > 0:", "case len(seen.Left) > 0:",
			inDispatch, "TestMakePlan_LIV2_AnUnknownRunKeepsItsPlace",
		},
		{
			"a run that is asked to stop is killed at once", "dispatch/ending.go",
			"stop.Kill = p.s.View.Now.Sub(r.StopAt) >= KillGrace", "stop.Kill = true",
			inDispatch, "TestMakePlan_END0_KillsTenSecondsAfterTheRequest",
		},
		{
			"a claim is launched again at once", "dispatch/ending.go",
			"seen.Lock == LockFree && now.Sub(r.SpawnedAt) >= SpawnGrace", "seen.Lock == LockFree",
			inDispatch, "TestMakePlan_DSP8_RelaunchesAClaimWhoseSupervisorNeverCame",
		},
	}
}

func ofClaim() []mutation {
	return []mutation{
		{
			"the claim does not count again", "dispatch/claim.go",
			"\ts.View = v\n", "",
			inDispatch, "TestTick_DSP7_ThePlaceThatAnotherTickFilledRefusesInsideTheTransaction",
		},
		{
			"the claim does not look whether the card runs", "dispatch/claim.go",
			"case c.CurrentRun != 0:", "case c.CurrentRun < 0:",
			inDispatch, "TestTick_DSP7_ACardThatAnotherTickStartedIsElsewhere",
		},
		{
			"going over a cap goes over every limit", "dispatch/place.go",
			"if r.Origin != capacity.FromFile {", "if r.Origin == capacity.FromMax {",
			inDispatch, "TestStartCard_CAP14_AnOverCapStartStillMeetsLimitsBehindTheFilesCap",
		},
		{
			"a relaunch does not compare what it saw", "board/store_claim.go",
			"state = 'claimed' AND launch_attempt = ?`", "state = 'claimed' AND ? > 0`",
			inDispatch, "TestTick_DSP8_OneOfManyTicksRelaunches",
		},
		{
			"a stopped claim is begun", "board/store_run.go",
			"AND state = 'claimed' AND stop_outcome IS NULL`", "AND state = 'claimed'`",
			inDispatch, "TestStore_DSP8_BeginsAClaimedRunOnce",
		},
		{
			"a secret outlives its run", "board/store_run.go",
			"FROM task_runs r WHERE r.session = ? AND r.ended_at_ms IS NULL`", "FROM task_runs r WHERE r.session = ?`",
			inDispatch, "TestStore_MOD4_ASecretIsGoodForAnOpenRunOnly",
		},
	}
}
