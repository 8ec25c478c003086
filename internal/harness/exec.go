package harness

func all() []Harness { return nil }
