package main

import "testing"

func TestUnstyled_LeavesWhatAScreenWouldShow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"plain", "plain"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"a\x1b[1C\x1b[5Ab", "ab"},
		{"\x1b]0;title\x07text", "text"},
		{"\x1b]8;;http://x\x1b\\link", "link"},
		{"\x1b(Btext\x1b=", "text"},
		{"cut\x1b[38;5", "cut"},
		{"cut\x1b]0;tit", "cut"},
		{"cut\x1b", "cut"},
	} {
		if got := unstyled(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
