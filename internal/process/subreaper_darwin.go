package process

// BecomeSubreaper makes the calling process the parent of every descendant whose own parent ends (SUP-5). ok is false
// where the system has no such thing, which is the case on macOS.
func BecomeSubreaper() (ok bool, err error) { return false, nil }
