package harness

import (
	"maps"
	"slices"
	"strings"
)

// Price is what a model costs, in US dollars a million tokens.
type Price struct {
	In     float64 `yaml:"in"`
	Out    float64 `yaml:"out"`
	Cached float64 `yaml:"cached"` // input read from a cache
}

// Prices is a dated price table. A person's prices.yaml replaces entries of the built-in one.
type Prices struct {
	Date   string           `yaml:"date"`   // YYYY-MM-DD on which the prices were read
	Models map[string]Price `yaml:"models"` // by model name; a name that ends in * stands for every model that begins so
}

// DefaultPrices is the built-in table, used only where the CLI reports no cost (codex, gemini, qwen). It holds the
// providers' list prices of its date for a first estimate; discounts, plans and long-context prices are not in it.
func DefaultPrices() Prices {
	return Prices{
		Date: "2025-12-01",
		Models: map[string]Price{
			"gpt-5":             {In: 1.25, Out: 10, Cached: 0.125},
			"gpt-5-codex*":      {In: 1.25, Out: 10, Cached: 0.125},
			"gpt-5.1*":          {In: 1.25, Out: 10, Cached: 0.125},
			"gpt-5-mini":        {In: 0.25, Out: 2, Cached: 0.025},
			"gpt-5-nano":        {In: 0.05, Out: 0.4, Cached: 0.005},
			"gemini-3-pro*":     {In: 2, Out: 12, Cached: 0.2},
			"gemini-2.5-pro":    {In: 1.25, Out: 10, Cached: 0.125},
			"gemini-2.5-flash":  {In: 0.3, Out: 2.5, Cached: 0.03},
			"qwen3-coder-plus*": {In: 1, Out: 5, Cached: 0.1},
		},
	}
}

// With returns p with the entries and the date of over in place of its own.
func (p Prices) With(over Prices) Prices {
	out := Prices{Date: p.Date, Models: maps.Clone(p.Models)}
	if out.Models == nil {
		out.Models = map[string]Price{}
	}
	maps.Copy(out.Models, over.Models)
	if over.Date != "" {
		out.Date = over.Date
	}
	return out
}

// Estimate returns usage with a cost for model, marked as estimated. A reported cost stays; an unknown model costs
// nothing and gives false.
func (p Prices) Estimate(usage Usage, model string) (Usage, bool) {
	if usage.CostMicros != 0 {
		return usage, true
	}
	price, ok := p.of(model)
	if !ok {
		return usage, false
	}
	// Dollars a million tokens are micro-dollars a token.
	cost := float64(usage.In)*price.In + float64(usage.Out)*price.Out + float64(usage.Cached)*price.Cached
	usage.CostMicros, usage.Estimated = int64(cost+0.5), true
	return usage, true
}

// of finds the price of model: its own name, else the longest pattern that fits.
func (p Prices) of(model string) (Price, bool) {
	if price, ok := p.Models[model]; ok {
		return price, true
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(p.Models)) {
		start, isPattern := strings.CutSuffix(name, "*")
		if isPattern && strings.HasPrefix(model, start) && len(name) > len(best) {
			best = name
		}
	}
	return p.Models[best], best != ""
}
