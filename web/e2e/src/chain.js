// A chain with something of everything that the page shows.
import { deflateSync } from "node:zlib";
import { startNode } from "./node.js";
import { User } from "./user.js";

/** startChain starts a node and fills its chain: two accounts, a project with history, tags, a fork, merge requests, reactions. */
export async function startChain() {
  const node = await startNode();
  const alice = new User(node, "alice");
  const bob = new User(node, "bob");
  await alice.account();
  await bob.account();
  await alice.makechain("account", "set", "--bio", "Writes compilers", "--website", "https://alice.example");
  await alice.makechain("project", "create", "hello", "--description", "A small program with a history");
  await writeHistory(alice);
  await alice.git("hello", "push", "--quiet", "makechain://alice/hello", "--all");
  await alice.git("hello", "push", "--quiet", "makechain://alice/hello", "--tags");
  await contribute(alice, bob);
  await alice.makechain("follow", "bob");
  await bob.makechain("follow", "alice");
  await bob.makechain("star", "alice/hello");
  const head = (await alice.git("hello", "rev-parse", "main")).trim();
  await bob.makechain("like", `alice/hello@${head}`);
  await alice.makechain("collaborator", "add", "alice/hello", "bob", "--permission", "write");
  return { node, alice, bob, head };
}

/** writeHistory creates a repository with directories, several languages, an image, a merge, tags and two branches. */
async function writeHistory(user) {
  await user.init("hello");
  await user.commit("hello", "Start with a greeting", { "README.md": readme, "LICENSE": "Do what you like.\n", "logo.png": png(64, 64) });
  await user.commit("hello", "Parse numbers\n\nDecimal only. Signs are not numbers.", { "src/parse.go": parser, "src/doc/grammar.txt": "number = digit { digit } .\n" });
  await user.commit("hello", "Add a web page", { "web/index.html": "<!doctype html>\n<title>Hello</title>\n<p>Hello\n", "web/app.js": script });
  await user.git("hello", "tag", "v0.1");
  await user.git("hello", "switch", "--quiet", "--create", "next");
  await user.commit("hello", "Speed up parsing", { "src/parse.go": parser.replace("value*10", "value<<3 + value<<1") });
  await user.git("hello", "switch", "--quiet", "main");
  await user.commit("hello", "Explain the grammar", { "src/doc/grammar.txt": "number = digit { digit } .\ndigit = \"0\" ... \"9\" .\n" });
  user.tick();
  await user.git("hello", "merge", "--quiet", "--no-ff", "--message", "Merge branch 'next'", "next");
  for (let i = 1; i <= 20; i++) await user.commit("hello", `Note ${i}`, { "NOTES.md": `# Notes\n\n${Array.from({ length: i }, (_, n) => `- note ${n + 1}`).join("\n")}\n` });
  user.tick();
  await user.git("hello", "tag", "--annotate", "--message", "First release", "v1.0");
}

/** contribute has one person fork the project and open two merge requests, of which the other merges the first. */
async function contribute(owner, guest) {
  await guest.makechain("project", "fork", "alice/hello");
  await guest.git("", "clone", "--quiet", "makechain://bob/hello", "fork");
  guest.seconds = owner.seconds;
  await guest.git("fork", "remote", "add", "upstream", "makechain://alice/hello");
  await guest.git("fork", "switch", "--quiet", "--create", "greeting");
  await guest.commit("fork", "Add a greeting", { GREETING: "Hello from Bob\n" });
  await guest.git("fork", "push", "--quiet", "origin", "greeting");
  await guest.makechain("mr", "open", "alice/hello@main", "--from", "bob/hello@greeting", "--title", "Add a greeting");
  const [id] = (await owner.makechain("mr", "list", "alice/hello")).match(/^[0-9a-f]{8}/m);
  await owner.git("hello", "remote", "add", "origin", "makechain://alice/hello");
  await owner.git("hello", "fetch", "--quiet", "origin");
  await owner.git("hello", "branch", "--quiet", "--set-upstream-to=origin/main", "main");
  await owner.git("hello", "fetch", "--quiet", "makechain://bob/hello", "refs/heads/greeting");
  await owner.git("hello", "merge", "--quiet", "--ff-only", "FETCH_HEAD");
  await owner.git("hello", "push", "--quiet", "origin", "main");
  const merged = (await owner.git("hello", "rev-parse", "main")).trim();
  await owner.makechain("mr", "close", "alice/hello", id, "--merged", "--commit", merged);
  await guest.git("fork", "switch", "--quiet", "--create", "farewell");
  await guest.commit("fork", "Say goodbye", { FAREWELL: "Goodbye from Bob\n", "README.md": readme.replace("## Use", "## How to use it") });
  await guest.git("fork", "push", "--quiet", "origin", "farewell");
  await guest.makechain("mr", "open", "alice/hello@main", "--from", "bob/hello@farewell", "--title", "Say goodbye");
}

/** png returns an image with a gradient. */
export function png(width, height) {
  const table = Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
  });
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    let crc = 0xffffffff;
    for (const byte of body) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set([(x * 255) / width, (y * 255) / height, 160], y * (1 + width * 3) + 1 + x * 3);
  }
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

const readme = `# Hello

![logo](logo.png) A small program, with a [grammar](src/doc/grammar.txt) and a [site](https://hello.example).

## Use

\`\`\`go
value, err := parse.Number("42")
\`\`\`

| input | result |
|---|---|
| \`42\` | 42 |
| \`-1\` | an error |

- [x] numbers
- [ ] signs
`;

const parser = `package parse

import "errors"

// ErrDigit is returned for anything but digits.
var ErrDigit = errors.New("not a digit")

// Number parses a decimal number.
func Number(text string) (value int, err error) {
	for _, r := range text {
		if r < '0' || r > '9' {
			return 0, ErrDigit
		}
		value = value*10 + int(r-'0')
	}
	return value, nil
}
`;

const script = `// Greets whoever opens the page.
const name = new URLSearchParams(location.search).get("name") ?? "you";
document.querySelector("p").textContent = \`Hello, \${name}\`;
`;
