package lint

import "strings"

// Command is a line that a page tells its reader to type, and what it says will be printed.
type Command struct {
	Line   string
	Output string
}

// Transcripts reads the commands of the console blocks of a page.
func Transcripts(content string) []Command {
	var commands []Command
	inside := false
	for line := range strings.Lines(content) {
		switch typed, isTyped := strings.CutPrefix(line, "$ "); {
		case strings.HasPrefix(line, "```"):
			inside = strings.TrimSpace(line) == "```console"
		case !inside:
		case isTyped:
			commands = append(commands, Command{Line: strings.TrimSpace(typed)})
		case len(commands) > 0:
			commands[len(commands)-1].Output += line
		}
	}
	return commands
}
