// A chain whose owner wants to execute scripts in the browsers of its readers, or to deceive their eyes.
import { startNode } from "./node.js";
import { User } from "./user.js";

/** mark is what every attack tries to do: set this global variable. */
export const mark = "attacked";
const run = `window.${mark}=1`;
const host = "http://attacker.example";

/** startMalicious starts a node whose chain has attacks in every field and file that the page shows. */
export async function startMalicious() {
  const node = await startNode();
  const mallory = new User(node, "mallory");
  await mallory.account();
  await mallory.makechain("account", "set", "--display-name", "<script>attacked=1</script>"); // at most 32 bytes
  await mallory.makechain("account", "set", "--bio", `"><img src=x onerror=${run}> \u202Egnp.exe`);
  await mallory.makechain("account", "set", "--website", `javascript:${run}`, "--avatar", `${host}/avatar.png`);
  const description = `<svg onload=${run}> [x](javascript:${run}) ${host} \u202Eesrever \u2066${"A".repeat(300)}`;
  await mallory.makechain("project", "create", "trap", "--description", description, "--license", `<b onclick=${run}>`);
  await mallory.init("trap");
  await mallory.commit("trap", `<img src=x onerror=${run}>\n\n<script>${run}</script>\n\u202Eesrever ${"W".repeat(60_000)}`, { "README.md": readme, ...files });
  await mallory.commit("trap", `${"Z".repeat(500)} \u202E title ${host}/x.png`, { "README.md": readme + "\nchanged\n", "evil.html": `<script>${run}</script>changed` });
  const branch = `x"><svg/onload=${run}>`;
  await mallory.git("trap", "branch", branch);
  await mallory.git("trap", "push", "--quiet", "makechain://mallory/trap", "main", branch);
  await mallory.makechain("project", "fork", "mallory/trap", "--name", "trap-two");
  await mallory.git("trap", "switch", "--quiet", "--create", "change");
  await mallory.commit("trap", `<iframe srcdoc="<script>parent.${run}</script>">`, { "new.svg": svg });
  await mallory.git("trap", "push", "--quiet", "makechain://mallory/trap-two", "change");
  const title = `<img src=x onerror=${run}> \u202Eesrever javascript:${run}`;
  await mallory.makechain("mr", "open", "mallory/trap@main", "--from", "mallory/trap-two@change", "--title", title);
  const head = (await mallory.git("trap", "rev-parse", "main")).trim();
  return { node, mallory, head, branch, names: Object.keys(files) };
}

const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><script>${run}</script><image href="${host}/i.png"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:parent.${run}"/></foreignObject></svg>`;

const readme = `# Trap <script>${run}</script>

<img src=x onerror=${run}> <svg onload=${run}> <body onload=${run}> <details open ontoggle=${run}>
<a href="javascript:${run}">one</a> [two](javascript:${run}) [three](JaVaScRiPt:${run}) [four](java&#x0A;script:${run})
[five](data:text/html,<script>parent.${run}</script>) [six](vbscript:x) <${"javascript:" + run}> [seven](//attacker.example/x)
[eight](\\x01javascript:${run}) [nine]( &#x6A;avascript:${run})

![remote](${host}/i.png) ![local](evil.svg) ![data](data:image/svg+xml,<svg onload="${run}">) <img srcset="${host}/s.png 2x"> <picture><source srcset="${host}/p.png"></picture>
<video src="${host}/v.mp4" poster="${host}/p.png"></video> <audio src="${host}/a"></audio> <link rel=stylesheet href=${host}/s.css> <meta http-equiv=refresh content="0;url=${host}">
<style>@import url(${host}/c.css); body { display: none }</style> <div style="position:fixed;inset:0;background:url(${host}/b.png)">over everything</div>
<iframe srcdoc="<script>parent.${run}</script>"></iframe> <object data="${host}"></object> <embed src="${host}"> <base href="${host}/">
<form id=app action="${host}"><input name=nodes><input name=attributes autofocus onfocus=${run}><button formaction="javascript:${run}">send</button></form>
<a id=location href=x></a><a name=defaultView></a> <img name=getElementById> <math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">
<svg><style><img src=x onerror=${run}></style></svg> <noscript><p title="</noscript><img src=x onerror=${run}>"> <template><script>${run}</script></template>
<div popover id=p>p</div><button popovertarget=p>b</button> <dialog open>dialog</dialog> <marquee onstart=${run}>m</marquee> <input type=image src=${host}/x onerror=${run}>

\u202Eesrever\u202C ${"B".repeat(20_000)}

${"[".repeat(3000)}${"]".repeat(3000)}

${"> ".repeat(500)}deep

| a |
|---|
| <img src=x onerror=${run}> |

\`\`\`html"><img src=x onerror=${run}>
<script>${run}</script>
\`\`\`
`;

const files = {
  "evil.svg": svg,
  "evil.html": `<script>${run}</script>`,
  [`<img src=x onerror=${run}>.txt`]: "a name with markup\n",
  [`"'><svg onload=${run}>`]: "a name with quotes\n",
  [`javascript:${run}`]: "a name like a URL\n",
  "photo\u202Egnp.exe": "a name that reads backwards\n",
  "tab\tand\nnewline.txt": "a name with control characters\n",
  "zero\u200Bwidth": "a name with an invisible character\n",
  "%2e%2e%2fescape": "a name that decodes to a path\n",
  "constructor": "a name of Object.prototype\n",
  "__proto__": "another one\n",
  ["n".repeat(250)]: "a long name\n",
  "trojan.js": `/*\u202E } \u2066if (isAdmin)\u2069 \u2066 begin admins only */\nconst x = "\u200B";\n`,
  "long-line.txt": "L".repeat(400_000),
  "binary.bin": Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) & 255)),
  "markup.md": readme,
};
