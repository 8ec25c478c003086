// Package capacity is the arithmetic of caps: what is held, what a start would add, and which cap refuses it.
//
// It has no I/O, no clock and no context, and reads nothing but its arguments. Its words are small values:
//
//	Entry      one counted thing: a run, a session, a card; or a start, as it would be once started
//	Cap        one limit: what it counts, how it groups, whom it holds, how much there may be
//	Ledger     the counters of one tick: built once from what is held, added to by each start that is taken
//	Refusal    why a start is held, as data
//
// The road of one tick:
//
//	Site.Entries(card)    for every card that may hold something   -> what is held (CAP-1, 2, 3)
//	Site.Candidate(...)   for every card that could start          -> what it would be once started
//	New(caps, state)      counts the held entries, once            -> Ledger
//	Ledger.Admit          is there room?                           -> yes, or the headline
//	Ledger.Take           the start is planned: its place is used
//	Ledger.Explain        every cap that blocks, with its holders (for people)
//
// A cap counts, in each of its groups, distinct places (placeOf). A start whose place is already counted in its group
// is not held by that cap. Starts and dollars have no places: each adds.
package capacity
