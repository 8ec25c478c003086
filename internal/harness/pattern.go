package harness

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that compiles when it is first used: compiling all of them at once would cost every start
// of the program more than a millisecond (measured), and most starts read no CLI's words.
type pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// lazily gives the pattern of a text. One that does not compile panics at its first use: the table tests use each.
func lazily(text string) *pattern { return &pattern{text: text} }

func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

func (p *pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p *pattern) FindString(s string) string { return p.compiled().FindString(s) }

func (p *pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p *pattern) ReplaceAllString(s, by string) string {
	return p.compiled().ReplaceAllString(s, by)
}
