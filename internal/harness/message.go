package harness

import (
	"fmt"
	"strings"
	"time"
)

// contentText joins the text parts of a message, or its content where that is plain text.
func contentText(message object) string {
	if text := message.text("content"); text != "" {
		return text
	}
	var parts []string
	for _, part := range message.objects("content") {
		if text := part.text("text"); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// endedWithout says how a run ended that never said it was done.
func endedWithout(what string, exit Exit) string {
	if exit.Signal != "" {
		return fmt.Sprintf("ended by signal %s without %s", exit.Signal, what)
	}
	return fmt.Sprintf("ended with exit code %d without %s", exit.Code, what)
}

func seconds(unix int64) time.Time { return time.Unix(unix, 0) }
