package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-2ddc2152/board/board"
)

// cronDocument is what `board cron --json` prints.
type cronDocument struct {
	Installed bool   `json:"installed"`
	Line      string `json:"line"` // the crontab's; "" = there is none
}

func cronCommand() command {
	return command{
		about: "A tick each minute, by the user's crontab: one line, with absolute paths and the PATH, HOME and LANG of this moment, since cron " +
			"has hardly any of its own. Workers outlive the tick.",
		examples: []string{
			"board cron install",
			"board cron install --print --as systemd     # a user timer, to be put where it says",
			"board cron status",
			"board cron remove",
		},
		document: cronDocument{},
		run:      cronStatus,
		subs: []verb{
			{"install", groupHome, "a tick each minute", func() command {
				return command{
					examples: []string{"board cron install"},
					flags: []cli.Flag{
						&cli.BoolFlag{Name: "print", Usage: "print it, and install nothing"},
						&cli.StringFlag{Name: "as", Usage: "with --print: `KIND` crontab, systemd or launchd", Value: "crontab"},
					},
					document: cronDocument{},
					run:      cronInstall,
				}
			}},
			{"remove", groupHome, "take the line out again", func() command {
				return command{examples: []string{"board cron remove"}, document: cronDocument{}, run: cronRemove}
			}},
			{"status", groupHome, "whether it is installed", func() command {
				return command{examples: []string{"board cron status"}, document: cronDocument{}, run: cronStatus}
			}},
		},
	}
}

func cronInstall(ctx context.Context, c *call) error {
	job, err := c.cronJob()
	if err != nil {
		return err
	}
	if as := c.flags.String("as"); c.flags.Bool("print") || as != "crontab" {
		return c.printJob(job, as)
	}
	if err := c.outsideSession(); err != nil {
		return err
	}
	table, err := c.crontab(ctx)
	if err != nil {
		return err
	}
	if err := c.writeCrontab(ctx, withoutCronLine(table, job.home)+job.crontab()+"\n"); err != nil {
		return err
	}
	return c.tellCron(job.crontab(), "installed: a tick each minute for "+job.home)
}

// printJob prints the job for the system's timers, for people to put in its place.
func (c *call) printJob(job cronJob, as string) error {
	var text string
	switch as {
	case "crontab":
		text = job.crontab()
	case "systemd":
		text = job.systemd()
	case "launchd":
		text = job.launchd()
	default:
		return board.NewProblem(board.ErrUsage, didYouMean(as, []string{"crontab", "systemd", "launchd"}, "kinds"), "--as %q: there is no such kind", as)
	}
	if !c.flags.Bool("print") {
		return board.NewProblem(board.ErrUsage, "board cron install --print --as "+as, "--as %s is for --print: put the text where it says", as)
	}
	if c.out.json {
		return c.out.document(cronDocument{Line: text})
	}
	c.out.line("%s", text)
	return nil
}

func cronRemove(ctx context.Context, c *call) error {
	if err := c.outsideSession(); err != nil {
		return err
	}
	h, err := c.find()
	if err != nil {
		return err
	}
	table, err := c.crontab(ctx)
	if err != nil {
		return err
	}
	if !hasCronLine(table, h.Dir) {
		return c.tellCron("", "there is no line for "+h.Dir)
	}
	if err := c.writeCrontab(ctx, withoutCronLine(table, h.Dir)); err != nil {
		return err
	}
	return c.tellCron("", "removed")
}

func cronStatus(ctx context.Context, c *call) error {
	h, err := c.find()
	if err != nil {
		return err
	}
	table, err := c.crontab(ctx)
	if err != nil {
		return err
	}
	for line := range strings.Lines(table) {
		if isCronLine(line, h.Dir) {
			return c.tellCron(strings.TrimSpace(line), "installed")
		}
	}
	return c.tellCron("", "not installed: board cron install")
}

func (c *call) tellCron(line, text string) error {
	if c.out.json {
		return c.out.document(cronDocument{Installed: line != "", Line: line})
	}
	c.out.line("%s", text)
	if line != "" {
		c.out.line("  %s", line)
	}
	return nil
}

// cronJob is a tick as a timer has to start it: nothing of its environment is the person's.
type cronJob struct {
	program, home string
	env           [][2]string
}

func (c *call) cronJob() (cronJob, error) {
	h, err := c.home()
	if err != nil {
		return cronJob{}, err
	}
	self, err := c.self()
	if err != nil {
		return cronJob{}, err
	}
	j := cronJob{program: self, home: h.Dir}
	userHome := c.getenv("HOME")
	if userHome == "" {
		userHome, _ = c.userHome()
	}
	for _, pair := range [][2]string{
		{"PATH", c.getenv("PATH")},
		{"HOME", userHome},
		{"LANG", c.getenv("LANG")},
		{"XDG_CONFIG_HOME", c.getenv("XDG_CONFIG_HOME")},
		{"BOARD_ROSTER", c.getenv("BOARD_ROSTER")},
	} {
		if pair[1] != "" {
			j.env = append(j.env, pair)
		}
	}
	for _, word := range j.words() {
		if strings.ContainsAny(word, "\n\r") {
			return j, board.NewProblem(board.ErrUsage, "", "a crontab line cannot hold the line break in %q", word)
		}
	}
	return j, nil
}

// words are the command with its environment, ready for env(1).
func (j cronJob) words() []string {
	var words []string
	for _, pair := range j.env {
		words = append(words, pair[0]+"="+pair[1])
	}
	return append(words, j.program, "--home", j.home, "dispatch", "--quiet")
}

// crontab is the job as a line: each minute, what goes wrong by mail, as cron does.
func (j cronJob) crontab() string {
	var words []string
	for _, pair := range j.env {
		words = append(words, pair[0]+"="+shellWord(pair[1]))
	}
	words = append(words, shellWord(j.program), "--home", shellWord(j.home), "dispatch", "--quiet")
	command := strings.Join(words, " ") + " " + cronMark(j.home)
	return "* * * * * " + strings.ReplaceAll(command, "%", `\%`) // cron takes a bare % for a line break
}

// cronMark ends a line of this program's for a home.
func cronMark(dir string) string { return "# board tick of " + dir }

func isCronLine(line, dir string) bool {
	return strings.HasSuffix(strings.TrimSpace(line), strings.ReplaceAll(cronMark(dir), "%", `\%`))
}

func hasCronLine(table, dir string) bool { return withoutCronLine(table, dir) != table }

func withoutCronLine(table, dir string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		if !isCronLine(line, dir) {
			b.WriteString(line)
		}
	}
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

// crontab is the user's table; empty when there is none.
func (c *call) crontab(ctx context.Context) (string, error) {
	out, complaint, err := c.runCrontab(ctx, "", "-l")
	if err != nil && strings.Contains(complaint, "no crontab") {
		return "", nil
	}
	return out, err
}

func (c *call) writeCrontab(ctx context.Context, table string) error {
	_, _, err := c.runCrontab(ctx, table, "-")
	return err
}

func (c *call) runCrontab(ctx context.Context, input string, words ...string) (out, complaint string, err error) {
	program, err := c.lookPath("crontab")
	if err != nil {
		return "", "", &board.Problem{
			Kind: board.ErrInvalid, Text: "crontab is not on PATH: there is no cron here",
			Fix: "install cron, or use the system's own timers: board cron install --print --as systemd (or launchd)",
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, words...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.env, strings.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		complaint = strings.TrimSpace(stderr.String())
		return "", complaint, fmt.Errorf("crontab %s: %w", strings.Join(words, " "), errors.Join(err, errorText(complaint)))
	}
	return stdout.String(), "", nil
}

// errorText is a program's complaint as an error; nil when it made none.
func errorText(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(clean1(text))
}

// systemd is the job as a user service and its timer. Workers are to outlive the service's process (SUP-6).
func (j cronJob) systemd() string {
	var env strings.Builder
	for _, pair := range j.env {
		fmt.Fprintf(&env, "Environment=%s\n", systemdWord(pair[0]+"="+pair[1]))
	}
	var words []string
	for _, word := range []string{j.program, "--home", j.home, "dispatch", "--quiet"} {
		words = append(words, systemdWord(word))
	}
	return `# ~/.config/systemd/user/board-tick.service
[Unit]
Description=A tick of the board

[Service]
Type=oneshot
KillMode=process
SuccessExitStatus=4
` + env.String() + "ExecStart=" + strings.Join(words, " ") + `

# ~/.config/systemd/user/board-tick.timer
[Unit]
Description=A tick of the board each minute

[Timer]
OnCalendar=minutely
AccuracySec=5s

[Install]
WantedBy=timers.target

# then: systemctl --user daemon-reload && systemctl --user enable --now board-tick.timer && loginctl enable-linger`
}

// systemdWord quotes a word of a unit file.
func systemdWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(word) + `"`
}

// launchd is the job as a LaunchAgent.
func (j cronJob) launchd() string {
	var env, words strings.Builder
	for _, pair := range j.env {
		fmt.Fprintf(&env, "    <key>%s</key><string>%s</string>\n", pair[0], xmlText(pair[1]))
	}
	for _, word := range []string{j.program, "--home", j.home, "dispatch", "--quiet"} {
		fmt.Fprintf(&words, "    <string>%s</string>\n", xmlText(word))
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/board.tick.plist, then: launchctl load -w that file -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>board.tick</string>
  <key>StartInterval</key><integer>60</integer>
  <key>AbandonProcessGroup</key><true/>
  <key>EnvironmentVariables</key>
  <dict>
` + env.String() + `  </dict>
  <key>ProgramArguments</key>
  <array>
` + words.String() + `  </array>
</dict>
</plist>`
}

func xmlText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
