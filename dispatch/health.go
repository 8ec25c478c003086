package dispatch

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed-2ddc2152/board/internal/roster"
)

// HealthLimit is how long a health URL may take to answer (04, Exclusions).
const HealthLimit = 5 * time.Second

// AskHealth asks a health URL once: 2xx is up. Redirects are not followed: they lead to sign-in pages, which answer 200.
func AskHealth(ctx context.Context, url string) roster.Probe {
	ctx, cancel := context.WithTimeout(ctx, HealthLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return roster.Probe{Text: err.Error()}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return roster.Probe{Text: fmt.Sprintf("no answer within %s", HealthLimit)}
		}
		return roster.Probe{Text: err.Error()}
	}
	if err := answer.Body.Close(); err != nil {
		return roster.Probe{Text: err.Error()}
	}
	return roster.Probe{OK: answer.StatusCode >= 200 && answer.StatusCode < 300, Text: answer.Status}
}
