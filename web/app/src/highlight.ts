// Syntax highlighting: comments, strings, numbers and keywords of common languages. Each language is a table, and one scanner reads all of
// them in linear time, so that no file can stall the page. It returns tokens, never HTML.

export type TokenKind = "comment" | "keyword" | "name" | "number" | "string" | "";

/** Token is a part of a line. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

interface Language {
  /** What begins a comment until the end of the line. */
  readonly line?: readonly string[];
  /** What begins and ends a comment. */
  readonly block?: readonly (readonly [string, string])[];
  /** What begins and ends a string; "\n" in the third place means that it may contain line feeds, "r" that backslashes are ordinary. */
  readonly strings?: readonly (readonly [string, string, string?])[];
  readonly keywords?: string;
  /** Keywords are written in any case. */
  readonly anyCase?: boolean;
  /** Characters of words besides letters, digits and "_". */
  readonly word?: string;
  /** Words before ":" or "=" are names of settings. */
  readonly settings?: boolean;
  /** Words after "<" or "</" are names of elements. */
  readonly elements?: boolean;
}

const slashes = { line: ["//"], block: [["/*", "*/"]] } as const;
const quotes = [['"', '"'], ["'", "'"]] as const;
const c = "auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false NULL";
const java = "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long native new package private protected public record return sealed short static super switch synchronized this throw throws try var void volatile while yield true false null";
const script = java + " as async await debugger declare delete export from function get in infer is keyof let namespace of override readonly satisfies set type typeof with undefined";

const languages: Readonly<Record<string, Language>> = {
  c: { ...slashes, strings: quotes, keywords: c },
  cpp: { ...slashes, strings: quotes, keywords: c + " alignas catch class concept constexpr decltype delete explicit final friend mutable namespace new noexcept nullptr operator override private protected public requires template this throw try typename using virtual co_await co_return" },
  csharp: { ...slashes, strings: quotes, keywords: java + " async await bool decimal delegate dynamic event get in init internal is lock namespace object out override params partial readonly ref sealed set string struct using virtual where" },
  css: { block: [["/*", "*/"]], strings: quotes, word: "-@#.", settings: true, keywords: "@import @media @supports @font-face @keyframes @layer @container" },
  go: { ...slashes, strings: [...quotes, ["`", "`", "\nr"]], keywords: "any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface map nil package range return rune select string struct switch true type uint uint64 uint32 var" },
  html: { block: [["<!--", "-->"]], strings: quotes, word: "-:", elements: true },
  ini: { line: ["#", ";"], strings: quotes, word: "-.", settings: true, keywords: "true false" },
  java: { ...slashes, strings: [['"""', '"""', "\n"], ...quotes], keywords: java },
  js: { ...slashes, strings: [...quotes, ["`", "`", "\n"]], word: "$", keywords: script },
  json: { ...slashes, strings: [['"', '"']], keywords: "true false null" },
  kotlin: { ...slashes, strings: [['"""', '"""', "\n"], ...quotes], keywords: java + " as by companion constructor crossinline data expect external fun get in infix init inline inner internal is lateinit object open operator out override reified set suspend typealias val when where" },
  lua: { line: ["--"], block: [["--[[", "]]"]], strings: [...quotes, ["[[", "]]", "\nr"]], keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while" },
  make: { line: ["#"], strings: quotes, word: "-.$", settings: true, keywords: "define endef ifdef ifndef ifeq ifneq else endif include export override FROM RUN CMD COPY ADD ENV ARG WORKDIR EXPOSE ENTRYPOINT USER VOLUME LABEL AS" },
  php: { line: ["//", "#"], block: [["/*", "*/"]], strings: quotes, word: "$", keywords: java + " and array as callable clone echo elseif empty endforeach endif endwhile fn foreach function global goto include include_once isset match mixed namespace or print readonly require require_once trait unset use xor" },
  proto: { ...slashes, strings: quotes, keywords: "syntax package import option message enum service rpc returns stream oneof repeated optional required map reserved extend bool string bytes int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 float double true false" },
  python: { line: ["#"], strings: [['"""', '"""', "\n"], ["'''", "'''", "\n"], ...quotes], keywords: "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield True False None" },
  ruby: { line: ["#"], block: [["=begin", "=end"]], strings: quotes, word: "@?!", keywords: "alias and begin break case class def defined? do else elsif end ensure for if in module next nil not or redo rescue retry return self super then undef unless until when while yield true false require attr_accessor attr_reader" },
  rust: { ...slashes, strings: [['r#"', '"#', "\nr"], ['"', '"', "\n"]], keywords: "as async await bool box break const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str String struct super trait true type u8 u16 u32 u64 unsafe use usize where while" },
  shell: { line: ["#"], strings: [['"', '"', "\n"], ["'", "'", "\nr"]], word: "-$", keywords: "if then else elif fi for in do done while until case esac function return local export readonly set unset shift exit trap eval exec source declare select" },
  sol: { ...slashes, strings: quotes, keywords: java + " address anonymous as assembly bool bytes bytes32 calldata constant constructor contract delete emit error event external fallback function immutable indexed int256 internal is library mapping memory modifier override payable pragma pure receive require returns revert solidity storage string struct type uint uint256 unchecked using view virtual" },
  sql: { line: ["--"], block: [["/*", "*/"]], strings: [["'", "'", "\nr"], ['"', '"']], anyCase: true, keywords: "add all alter and as asc begin between bigint by case check column commit constraint create cross database default delete desc distinct drop else end exists false foreign from full group having if in index inner insert int integer into is join key left like limit not null offset on or order outer primary references right rollback select set table text then timestamp true union unique update using values varchar view when where with" },
  swift: { ...slashes, strings: [['"""', '"""', "\n"], ['"', '"']], keywords: java + " actor any as associatedtype async await defer deinit extension fallthrough fileprivate func guard in indirect init inout internal is lazy let mutating nil open operator override protocol repeat required rethrows self Self some struct subscript typealias weak where" },
  yaml: { line: ["#"], strings: quotes, word: "-./", settings: true, keywords: "true false null yes no on off" },
};

const extensions: Readonly<Record<string, string>> = {
  bash: "shell", cc: "cpp", cjs: "js", conf: "ini", cs: "csharp", cts: "js", cxx: "cpp", dockerfile: "make", env: "ini", gemspec: "ruby", gitignore: "ini", h: "cpp",
  hh: "cpp", hpp: "cpp", htm: "html", javascript: "js", jsx: "js", kt: "kotlin", kts: "kotlin", less: "css", makefile: "make", mjs: "js", mk: "make",
  mod: "go", mts: "js", py: "python", rb: "ruby", rs: "rust", scss: "css", sh: "shell", sum: "ini", svg: "html", toml: "ini", ts: "js", tsx: "js", typescript: "js",
  golang: "go", vue: "html", xml: "html", yml: "yaml", zsh: "shell", console: "shell", cfg: "ini", jsonc: "json", solidity: "sol",
};

/** languageOf returns the language of a file name, or of the name of a language; undefined for those without a table. */
export function languageOf(name: string): string | undefined {
  const key = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const extension = key.slice(key.lastIndexOf(".") + 1);
  const found = Object.hasOwn(extensions, extension) ? extensions[extension] : extension;
  return found !== undefined && Object.hasOwn(languages, found) ? found : undefined;
}

/** highlight returns the tokens of each line of a text. Concatenated they are the text, without its line feeds. */
export function highlight(text: string, name: string | undefined): Token[][] {
  const language = name === undefined ? undefined : languages[name];
  if (language === undefined) return text.split("\n").map((line) => (line === "" ? [] : [{ kind: "", text: line }]));
  const lines: Token[][] = [[]];
  const emit = (kind: TokenKind, from: number, to: number) => {
    text.slice(from, to).split("\n").forEach((part, index) => {
      if (index > 0) lines.push([]);
      const line = lines.at(-1);
      const last = line?.at(-1);
      if (part === "" || line === undefined) return;
      if (last?.kind === kind) line[line.length - 1] = { kind, text: last.text + part };
      else line.push({ kind, text: part });
    });
  };
  scan(text, language, emit);
  return lines;
}

function scan(text: string, language: Language, emit: (kind: TokenKind, from: number, to: number) => void): void {
  const extra = (language.word ?? "").replace(/[\\\]^-]/g, "\\$&");
  const word = new RegExp(`[\\p{L}_${extra}][\\p{L}\\p{N}_${extra}]*`, "uy");
  const number = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)\p{L}*/uy;
  const keywords = new Set((language.keywords ?? "").split(" "));
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 0;
  };
  for (let at = 0; at < text.length; ) {
    const span = comment(text, at, language) ?? quoted(text, at, language);
    if (span !== undefined) {
      emit(span.kind, at, span.end);
      at = span.end;
      continue;
    }
    const length = match(number, at);
    if (length > 0) {
      emit("number", at, at + length);
      at += length;
      continue;
    }
    const letters = match(word, at);
    if (letters > 0) {
      const found = text.slice(at, at + letters);
      emit(kindOf(found, text, at, language, keywords), at, at + letters);
      at += letters;
      continue;
    }
    const next = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    emit("", at, next);
    at = next;
  }
}

function kindOf(word: string, text: string, at: number, language: Language, keywords: ReadonlySet<string>): TokenKind {
  if (keywords.has(language.anyCase === true ? word.toLowerCase() : word)) return "keyword";
  const end = at + word.length;
  if (language.settings === true) return /^[ \t]*[:=]/.test(text.slice(end, end + 8)) ? "name" : "";
  if (language.elements === true) return text[at - 1] === "<" || text.slice(at - 2, at) === "</" ? "keyword" : text[end] === "=" ? "name" : "";
  return text[end] === "(" ? "name" : "";
}

interface Span {
  readonly kind: TokenKind;
  readonly end: number;
}

function comment(text: string, at: number, { line = [], block = [] }: Language): Span | undefined {
  for (const [open, close] of block) {
    if (!text.startsWith(open, at)) continue;
    const end = text.indexOf(close, at + open.length);
    return { kind: "comment", end: end < 0 ? text.length : end + close.length };
  }
  if (!line.some((open) => text.startsWith(open, at))) return undefined;
  // "#" and ";" begin a comment at the start of a word only: "a#b" is none.
  if (text[at] === "#" && at > 0 && !/\s/.test(text[at - 1] ?? "")) return undefined;
  const end = text.indexOf("\n", at);
  return { kind: "comment", end: end < 0 ? text.length : end };
}

/** How long a string in single quotes may be. */
const maxQuoted = 200;

function quoted(text: string, at: number, { strings = [] }: Language): Span | undefined {
  for (const [open, close, flags = ""] of strings) {
    if (!text.startsWith(open, at)) continue;
    // An apostrophe that is not closed soon is not a quotation mark: it is in a text or names a lifetime.
    const limit = open === "'" && flags === "" ? Math.min(text.length, at + maxQuoted) : text.length;
    let end = at + open.length;
    for (; end < limit; end++) {
      if (text[end] === "\\" && !flags.includes("r")) end++;
      else if (text.startsWith(close, end)) return { kind: "string", end: end + close.length };
      else if (text[end] === "\n" && !flags.includes("\n")) break;
    }
    return open === "'" && flags === "" ? undefined : { kind: "string", end: Math.min(end, text.length) };
  }
  return undefined;
}
