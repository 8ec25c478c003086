package harness

// all lists the harnesses in the order that `board init` prefers them: proven ones, then those from documentation only,
// then exec, which stands for no agent of its own.
func all() []Harness {
	return []Harness{
		claude{},
		codex{},
		opencode{},
		gemini{},
		pi{},
		qwen{},
		copilot{},
		amp{},
		cursor{},
		goose{},
		aider{},
		execHarness{},
	}
}

// Lookup finds the harness called name.
func Lookup(name string) (Harness, bool) {
	for _, h := range all() {
		if h.Facts().Name == name {
			return h, true
		}
	}
	return nil, false
}

// Names lists every harness, in the order that `board init` prefers them; exec is last.
func Names() []string {
	list := all()
	names := make([]string, 0, len(list))
	for _, h := range list {
		names = append(names, h.Facts().Name)
	}
	return names
}
