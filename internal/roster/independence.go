package roster

import "slices"

// ownOffers returns what the executors that made the work offer a reasoning run, where no other one is eligible: their
// own free slots, else a borrowed lease beside the card's own idle worker; nothing where the run must wait (ROS-14).
func (s State) ownOffers(w Want, views []view) []Offer {
	because := whyNotIndependent(w, views)
	if because == "" {
		return nil
	}
	own := w
	own.Avoid = nil
	var offers []Offer
	for _, v := range views {
		if !slices.Contains(w.Avoid, v.ID) {
			continue
		}
		refused := s.refuse(own, v)
		if refused == "" {
			offers = append(offers, Offer{Executor: *v.Executor, Clone: LowestFreeClone(s.Leases, v.ID), Because: because})
			continue
		}
		if beside, ok := s.lender(w, v.ID); ok && refused == RefusedBusy {
			offers = append(offers, Offer{Executor: *v.Executor, Because: because, Beside: beside.ID})
		}
	}
	return offers
}

// whyNotIndependent says why a reasoning run that no other executor can take may go to one that made the work; empty:
// it waits, because some other one is busy with a reasoning run.
func whyNotIndependent(w Want, views []view) Because {
	others, inRound, held := 0, 0, 0
	for _, v := range views {
		if v.refused.forGood() {
			continue
		}
		others++
		if v.refused != RefusedBusy {
			continue // out: none is eligible here
		}
		inRound++
		if v.use.CoderUsed >= v.Slots {
			held++
		}
	}
	switch {
	case len(w.Avoid) == 0:
		return ""
	case others == 0:
		return BecauseNobody
	case inRound == 0:
		return BecauseOut
	case held == inRound:
		return BecauseHeld
	}
	return ""
}

// lender finds the idle worker of the want's card or story on an executor, if nobody borrows beside it yet.
func (s State) lender(w Want, executor string) (Lease, bool) {
	for _, l := range s.Holders(executor) {
		worker := l.Role == RoleCoder || l.Slot == WorkerSlot
		own := l.Card == w.Card || w.Story != "" && l.Card == w.Story
		if worker && own && l.Idle && l.Slot != w.Slot && !s.lends(l) {
			return l, true
		}
	}
	return Lease{}, false
}

// lends reports whether a borrowed lease stands beside the worker's.
func (s State) lends(worker Lease) bool {
	return slices.ContainsFunc(s.Leases, func(l Lease) bool {
		return l.Borrowed() && l.Executor == worker.Executor && (l.Card == worker.Card || l.Story == worker.Card)
	})
}

// Note says for a prompt or the history that a review is not independent (ROS-15); empty: it is.
func (b Because) Note() string {
	switch b {
	case BecauseNobody:
		return "This review is not independent: no other executor can take it than the one that made the work."
	case BecauseHeld:
		return "This review is not independent: coders hold every slot of the other executors, so the one that made the work reviews it."
	case BecauseOut:
		return "This review is not independent: no other executor is in the round, so the one that made the work reviews it."
	}
	return ""
}
