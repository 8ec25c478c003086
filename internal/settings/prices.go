package settings

import (
	"bytes"
	"fmt"
	"os"

	"gopkg.in/yaml.v3"

	"github.com/seed-2ddc2152/board/board"
	"github.com/seed-2ddc2152/board/internal/harness"
)

// Prices are what runs of CLIs that report no cost are estimated by: the built-in table, with config.yaml's `prices` over it.
func (s *Settings) Prices() (harness.Prices, error) {
	table := harness.DefaultPrices()
	if s.Config.Prices == "" {
		return table, nil
	}
	text, err := os.ReadFile(s.Config.Prices)
	if err != nil {
		return table, &board.Problem{Kind: board.ErrInvalid, Text: "read prices: " + err.Error(), Fix: "see prices in " + s.Home.ConfigFile()}
	}
	var over harness.Prices
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&over); err != nil {
		return table, &board.Problem{
			Kind: board.ErrInvalid, Text: fmt.Sprintf("%s: %v", s.Config.Prices, err),
			Fix: "it has `date` and `models: {NAME: {in, out, cached}}`, in dollars per million tokens",
		}
	}
	return table.With(over), nil
}
