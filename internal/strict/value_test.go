package strict_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ddc2152/board/internal/strict"
)

func parse(t *testing.T, src string) (*strict.File, strict.Value) {
	t.Helper()
	file, root, ok := strict.Parse("f.yaml", []byte(src))
	if !ok {
		t.Fatalf("nothing to read: %v", file.Problems())
	}
	return file, root
}

func TestValue_GivesTheDefaultOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	file, root := parse(t, "a: null\n")
	for _, key := range []string{"a", "b"} {
		v := root.Keys("a", "b").Get(key)
		if v.Given() || v.Text() != "" || !v.Bool(true) || v.Int(1, 2, 9) != 9 || v.Float(0, 1, 0.5) != 0.5 || v.Duration(time.Hour) != time.Hour ||
			v.OneOf("x") != "" || v.Texts() != nil || v.Items() != nil || v.Fields() != nil || v.Any() != nil || v.Len() != 0 {
			t.Errorf("%s: not the defaults", key)
		}
	}
	if err := file.Problems().OrNil(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestValue_ReadsParams(t *testing.T) {
	t.Parallel()
	file, root := parse(t, "n: null\nb: true\ni: 3\nf: 0.5\ns: text\nq: '3'\nl: [1, {a: b}]\nm: {x: {y: 1}}\nt: 2026-01-02\n")
	got := fmt.Sprintf("%#v", root.Any())
	for _, want := range []string{`"n":interface {}(nil)`, `"b":true`, `"i":3`, `"f":0.5`, `"s":"text"`, `"q":"3"`, `"l":[]interface {}{1, map[string]interface {}{"a":"b"}}`, `"y":1`, "time.Date(2026"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if err := file.Problems().OrNil(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestFields_WorkInMergeKeys(t *testing.T) {
	t.Parallel()
	file, root := parse(t, "one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\nall: {<<: [*one, *two], c: 3}\nnested: &nested {<<: *one, d: 4}\nlast: {<<: *nested}\n")
	keys := root.Keys("one", "two", "all", "nested", "last")
	for key, want := range map[string]string{"all": "map[a:1 b:1 c:3]", "last": "map[a:1 b:1 d:4]"} {
		if got := fmt.Sprint(keys.Get(key).Any()); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
	if err := file.Problems().OrNil(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestParse_EndsWithAliasesThatContainThemselves(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"a: &a {b: *a}\n", "a: &a [*a, *a, *a]\n", "a: &a {<<: [*a, *a, *a]}\n", "a: &a {<<: *a, b: 1}\n",
	} {
		file, root, ok := strict.Parse("f.yaml", []byte(src))
		if ok {
			root.Any()
		}
		if len(file.Problems()) == 0 {
			t.Errorf("%q: no problem told", src)
		}
	}
}

func TestProblems_HaveTheirPlaceAndTheNearestName(t *testing.T) {
	t.Parallel()
	file, root := parse(t, "prioriti: 3\nlist: [1, x]\n")
	keys := root.Keys("priority", "list")
	keys.Get("list").Items()[1].Int(0, 9, 0)
	want := "f.yaml:1:1: unknown key \"prioriti\"; known are priority, list (did you mean priority?)\n" +
		"f.yaml:2:11: list[1]: found \"x\"; expected a whole number from 0 to 9"
	if got := file.Problems().Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
