package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper makes the calling process the parent of every descendant whose own parent ends (SUP-5), so that they
// stay below it in the table. ok is false where the system has no such thing (macOS).
func BecomeSubreaper() (ok bool, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return false, fmt.Errorf("become subreaper: %w", err)
	}
	return true, nil
}
