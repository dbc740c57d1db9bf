import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, resolve } from "../src/markdown-inline.js";
import { parseMarkdown } from "../src/markdown.js";

const options = {
  directory: ["docs"],
  link: (target: { readonly path: readonly string[] | undefined; readonly section: string }) =>
    target.path === undefined ? `#/section/${encodeURIComponent(target.section)}` : "#/" + target.path.map(encodeURIComponent).join("/"),
};

/** show writes nodes as tags, for comparison. Texts are escaped, so that what looks like a tag is one. */
function show(children: Node["children"]): string {
  return children
    .map((child) => {
      if (typeof child === "string") return child.replaceAll("<", "&lt;");
      const props = Object.entries(child.props).filter(([name]) => !["id", "tabIndex", "rel", "scope", "aria-label"].includes(name));
      return `<${child.tag}${props.map(([name, value]) => ` ${name}=${value}`).join("")}>${show(child.children)}</${child.tag}>`;
    })
    .join("");
}

const render = (text: string) => show(parseMarkdown(text, options));

test("what READMEs use", () => {
  const cases: [string, string][] = [
    ["# Title #\ntext", "<h3 class=markdown-h1>Title</h3><p>text</p>"],
    ["Title\n===\n\nSub\n---", "<h3 class=markdown-h1>Title</h3><h4 class=markdown-h2>Sub</h4>"],
    ["a **b *c* d** `e<f>` ~~g~~ _h_ i_j_k", "<p>a <strong>b <em>c</em> d</strong> <code>e&lt;f></code> <del>g</del> <em>h</em> i_j_k</p>"],
    ["- a\n- b\n  - c\n- d", "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>"],
    ["3. a\n4. b", "<ol start=3><li>a</li><li>b</li></ol>"],
    ["- [x] done\n- [ ] open", "<ul><li class=task><input type=checkbox disabled=true checked=true></input>done</li><li class=task><input type=checkbox disabled=true checked=false></input>open</li></ul>"],
    ["> a\n> b\nc", "<blockquote><p>a\nb\nc</p></blockquote>"],
    ["```go\nfunc f\n```", "<pre><code><span class=token-keyword>func</span> f</code></pre>"],
    ["    code\n\ntext", "<pre><code>code</code></pre><p>text</p>"],
    ["***", "<hr></hr>"],
    ["|a|b|\n|-|:-:|\n|1|`x|y`|", "<div class=table-scroll><table><thead><tr><th>a</th><th class=align-center>b</th></tr></thead><tbody><tr><td>1</td><td class=align-center><code>x|y</code></td></tr></tbody></table></div>"],
    ["[a](b.md#c) [d](/e/) [f](https://x.org/g_(h)) [i]\n\n[i]: ../k \"t\"", "<p><a href=#/docs/b.md>a</a> <a href=#/e>d</a> <a href=https://x.org/g_(h)>f</a> <a href=#/k>i</a></p>"],
    ["see https://x.org/a. <https://y.org>", "<p>see <a href=https://x.org/a>https://x.org/a</a>. <a href=https://y.org>https://y.org</a></p>"],
    ["![logo](img/a.png)", '<p><repository-image alt=logo path=["docs","img","a.png"]></repository-image></p>'],
    ['<p align="center"><img src="a.svg" width="100"><br><b>x</b></p>', '<div><p class=align-center><repository-image width=100 alt= path=["docs","a.svg"]></repository-image><br></br><b>x</b></p></div>'],
    ["a &amp; b &lt;c> \\*d\\*  \ne", "<p>a & b &lt;c> *d*  <br></br>e</p>"],
    ["<!-- hidden\n\nstill -->\n\nshown", "<p>shown</p>"],
    ["[![b](https://ci/b.svg)](https://ci)", "<p><a href=https://ci><span class=markdown-image title=Images of other servers are not loaded.>b</span></a></p>"],
    ["2 * 3 * 4 and a_b", "<p>2 * 3 * 4 and a_b</p>"],
  ];
  for (const [text, expected] of cases) assert.equal(render(text), expected, text);
});

const attacks = [
  "<script>alert(1)</script>", "<scr<script>ipt>alert(1)</scr</script>ipt>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)><animate onbegin=alert(1)>", "<svg><a href='javascript:alert(1)'><text>x",
  "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](&#106;avascript:alert(1))", "[x](data:text/html,<script>alert(1)</script>)", "[x](vbscript:x)", "[x](<java\nscript:alert(1)>)",
  "<a href=javascript:alert(1)>x</a>", "<a href=' javascript:alert(1)'>x</a>", "<a href='java&#10;script:alert(1)'>x</a>", "<a href='\u0001javascript:alert(1)'>x</a>", "<javascript:alert(1)>", "[x]\n\n[x]: javascript:alert(1)",
  "<iframe src=//evil>", "<form action=//evil><input name=password><button>", "<style>*{display:none}</style>", "<p style='position:fixed;inset:0'>x</p>", "<div class=dialog id=app>x</div>", "<base href=//evil>", "<meta http-equiv=refresh content=0>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>", "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<textarea></textarea><script>alert(1)</script>", "<template><script>alert(1)</script></template>",
  "![x](javascript:alert(1))", "![x](//evil/x.png)", "![x](\\\\evil/x.png)", "![x](http://evil/x.png)", "[x](//evil)", "[x](\\\\evil)", "[x](/\\evil)", "<img src='data:image/svg+xml,<svg onload=alert(1)>'>", "[x](../../../../etc/passwd)", "[x](%2e%2e/%2e%2e/a)",
  "<object data=x>", "<embed src=x>", "<link rel=stylesheet href=//evil>", "<details open ontoggle=alert(1)>x", "<a target=_blank ping=//evil href=https://x>y</a>", "<x-y onclick=alert(1)>z</x-y>", "```\n<script>alert(1)</script>\n```", "`<script>`", "# <img src=x onerror=alert(1)>", "[<img src=x onerror=alert(1)>](x)", "| <script>alert(1)</script> |\n|-|\n| <svg/onload=alert(1)> |",
];

const tags = /^(?:a|b|blockquote|br|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|input|ins|kbd|li|ol|p|pre|q|repository-image|s|samp|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|var)$/;
const classes = /^(?:align-(?:left|center|right)|markdown-h[1-6]|markdown-image|table-scroll|task|token-\w+)$/;

function verify(children: Node["children"], source: string): void {
  for (const child of children) {
    if (typeof child === "string") continue;
    assert.match(child.tag, tags, source);
    for (const [name, value] of Object.entries(child.props)) {
      assert.match(name, /^(?:alt|aria-label|checked|class|disabled|height|href|id|path|rel|scope|start|tabIndex|title|type|width)$/, source);
      if (name === "href") assert.match(String(value), /^(?:https?:\/\/|mailto:|#\/)/, source);
      if (name === "class") assert.match(String(value), classes, source);
      if (name === "id") assert.match(String(value), /^section-/, source);
      if (name === "type") assert.equal(value, "checkbox");
      if (name === "path") assert.ok((JSON.parse(String(value)) as string[]).every((part) => part !== ".." && part !== ""), source);
    }
    verify(child.children, source);
  }
}

test("attacks become nothing else than the allowed elements", () => {
  for (const attack of attacks) {
    for (const text of [attack, `text ${attack} text`, `> ${attack}`, `- ${attack}`, `**${attack}**`, `<div>\n${attack}\n</div>`, attack + attacks.join("\n\n")]) {
      verify(parseMarkdown(text, options), text);
    }
  }
  assert.equal(render("<script>alert(1)</script>x"), "<div>x</div>");
  assert.equal(render("[x](javascript:alert(1))"), "<p><a>x</a></p>");
});

test("random combinations of what is special end, and give the allowed elements only", () => {
  const parts = ["*", "**", "_", "`", "```", "[", "]", "(", ")", "!", "<", ">", "<a href=", '"', "'", "javascript:", "http://x", "\n", "\n\n", "> ", "- ", "1. ", "    ", "|", "|-|", "# ", "&", "&#60;", "\\", "<b>", "</b>", "<!--", "-->", "<script>", "x", " ", "~~", "\u202e", "\0"];
  let state = 7;
  const next = (below: number) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0), Math.floor((state / 2 ** 32) * below));
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + next(40) }, () => parts[next(parts.length)]).join("");
    verify(parseMarkdown(text, options), JSON.stringify(text));
  }
});

test("long texts of one kind take no more than a moment", () => {
  for (const part of ["*", "**a", "_a ", "`", "[", "![", "](", "<", "<a ", "<b>", "<!--", "> ", "- ", "|", "&", "~~", "[a](", "\\", "http://", "# a\n", "* a\n", "1. a\n\n", "|a|\n|-|\n", "<svg>", "*a_b "]) {
    const text = part.repeat(Math.ceil(40_000 / part.length));
    verify(parseMarkdown(text, options), part);
  }
});

test("relative links stay in the repository", () => {
  assert.equal(resolve(["a"], "../../b"), undefined);
  assert.deepEqual(resolve(["a", "b"], "../c d/./e%20f?x#g"), { path: ["a", "c d", "e f"], directory: false, section: "g" });
  assert.deepEqual(resolve(["a"], "/"), { path: [], directory: true, section: "" });
  assert.deepEqual(resolve(["a"], "%E0%A4%A"), { path: ["a", "%E0%A4%A"], directory: false, section: "" });
});
