package capacity_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/capacity"
)

var update = flag.Bool("update", false, "rewrite the answers of testdata/*.yaml")

func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("scenario files: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			runFile(t, file)
		})
	}
}

func runFile(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	nodes := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var s scenario
		//nolint:musttag // yaml.v3 takes the fields' names in lower case, and refuses others
		if err := decoder.Decode(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: after the scenarios above: %v", file, err)
		}
		var node yaml.Node
		if err := nodes.Decode(&node); err != nil {
			t.Fatal(err)
		}
		got := s.run()
		for _, answer := range []struct {
			key       string
			got, want []string
		}{{"holds", got.Holds, s.Holds}, {"answers", got.Answers, s.Answers}, {"usage", got.Usage, s.Usage}} {
			if !*update && !slices.Equal(answer.got, answer.want) {
				t.Errorf("%s %s\n%s:\n got  %s\n want %s", s.ID, s.Says, answer.key,
					strings.Join(answer.got, "\n      "), strings.Join(answer.want, "\n      "))
			}
			setList(node.Content[0], answer.key, answer.got)
		}
		if err := encoder.Encode(&node); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// setList puts a list of texts under the key of a YAML mapping, and takes an empty one away.
func setList(mapping *yaml.Node, key string, lines []string) {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			break
		}
	}
	if len(lines) == 0 {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, line := range lines {
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: line})
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, list)
}

func (s scenario) run() scenario {
	var answer scenario
	site := capacity.Site{HomeHost: s.Site.Home, Aliases: s.Site.Aliases, Models: s.Site.Models}
	if site.HomeHost == "" {
		site.HomeHost = "base"
	}
	var cards []capacity.CardFacts
	for _, c := range s.Cards {
		cards = append(cards, c.facts())
	}
	site.Defaults = capacity.DefaultModels(cards)
	state := capacity.State{Now: now}
	for _, c := range cards {
		state.Held = append(state.Held, site.Entries(c)...)
	}
	for _, e := range state.Held {
		answer.Holds = append(answer.Holds, entryLine(e))
	}
	for _, r := range s.Past {
		state.Past = append(state.Past, site.EndedRun(capacity.CardFacts{ID: r.Card, Board: boardOf(r.Card)}, r.facts()))
	}
	for _, w := range s.Waiting {
		state.Waiting = append(state.Waiting, s.candidate(site, w))
	}
	var caps []capacity.Cap
	for _, c := range s.Caps {
		caps = append(caps, c.cap(site))
	}
	ledger := capacity.New(caps, state)
	for _, step := range s.Steps {
		if step.Tick {
			ledger = capacity.New(caps, state)
			answer.Answers = append(answer.Answers, "another tick")
			continue
		}
		c := s.candidate(site, step)
		answer.Answers = append(answer.Answers, stepLine(ledger, &c))
	}
	for _, u := range ledger.Usage(func(e capacity.Entry) *capacity.Candidate { return &capacity.Candidate{Entry: e} }) {
		answer.Usage = append(answer.Usage, usageLine(u))
	}
	return answer
}

func (s scenario) candidate(site capacity.Site, step stepText) capacity.Candidate {
	facts := capacity.CardFacts{ID: step.Card, Board: boardOf(step.Card)}
	for _, c := range s.Cards {
		if c.ID == step.Card {
			facts = c.facts()
		}
	}
	if step.CardHost != "" {
		facts.Host = step.CardHost
	}
	return capacity.Candidate{Entry: site.Candidate(facts, step.lane(), step.Status)}
}
