package lint

import "strings"

// Command is a command of a console block of a page, with its expected output.
type Command struct {
	Line   string
	Output string
}

// Transcripts returns the commands of the console blocks of a page.
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

// Block is a fenced block of a page.
type Block struct {
	Language string // the text after the opening fence
	Line     int    // of the opening fence
	Text     string
}

// Blocks returns the fenced blocks of a page.
func Blocks(content string) []Block {
	var blocks []Block
	inside, number := false, 0
	for line := range strings.Lines(content) {
		number++
		switch language, isFence := strings.CutPrefix(line, "```"); {
		case isFence && inside:
			inside = false
		case isFence:
			inside = true
			blocks = append(blocks, Block{Language: strings.TrimSpace(language), Line: number})
		case inside:
			blocks[len(blocks)-1].Text += line
		}
	}
	return blocks
}
