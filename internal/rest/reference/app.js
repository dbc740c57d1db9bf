// Reads the OpenAPI document of this gateway and displays it. Content is only ever inserted as text, so a response cannot
// inject markup.
"use strict";

const prefix = "#/components/schemas/";

// el creates an element. Attributes that are functions are event listeners.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

const named = (schema) => schema.$ref && schema.$ref.slice(prefix.length);

// typeOf returns a short description of the type of a schema.
function typeOf(schema) {
  if (!schema) return [];
  if (schema.$ref) return [el("a", { href: "#schema-" + named(schema) }, named(schema))];
  const many = schema.oneOf || schema.anyOf;
  if (many) return many.flatMap((one, i) => (i ? [" | ", ...typeOf(one)] : typeOf(one)));
  if (schema.type === "array" || (Array.isArray(schema.type) && schema.type.includes("array"))) return ["list of ", ...typeOf(schema.items)];
  if (schema.enum) return [schema.enum.map((value) => (value === null ? "null" : String(value))).join(" | ")];
  const words = [schema.type].flat().filter(Boolean);
  if (schema.pattern) words[0] = patternWords(schema.pattern, words[0]);
  return [words.join(" | ") + bounds(schema)];
}

function patternWords(pattern, otherwise) {
  const size = pattern.match(/\[0-9a-fA?-?F?\]\{(\d+)\}\$$/);
  const lead = pattern.startsWith("^0x") ? "0x and " : "";
  if (size) return lead + size[1] + " hex digits";
  if (pattern.includes("a-f")) return lead + "hex";
  if (pattern.includes("[1-9]")) return pattern.includes("latest") ? "decimal or latest" : "decimal";
  return otherwise;
}

function bounds(schema) {
  const most = schema.maximum === 4294967295 ? undefined : schema.maximum;
  if (most !== undefined) return ` ${schema.minimum ?? 0} to ${most}`;
  return "";
}

function properties(schema) {
  const rows = Object.entries(schema.properties || {}).map(([name, value]) =>
    el("tr", {}, el("td", {}, el("code", {}, name)), el("td", { class: "type" }, ...typeOf(value)), el("td", {}, value.description || "")));
  return el("table", {}, el("tbody", {}, rows));
}

function showSchema(name, schema) {
  const shown = el("details", { class: "schema", id: "schema-" + name }, el("summary", {}, name));
  shown.addEventListener("toggle", () => {
    if (shown.children.length > 1) return;
    if (schema.oneOf) shown.append(el("p", {}, "One of: ", ...typeOf(schema)));
    else shown.append(properties(schema));
  });
  return shown;
}

function parameters(operation) {
  const list = operation.parameters || [];
  if (!list.length) return [];
  const rows = list.map((p) => el("tr", {},
    el("td", {}, el("code", {}, p.name), p.required ? el("span", { class: "required" }, "required") : null),
    el("td", { class: "type" }, ...typeOf(p.schema)),
    el("td", {}, p.description || "")));
  return [el("h4", {}, "Parameters"), el("table", {}, el("tbody", {}, rows))];
}

function requestBody(operation) {
  if (!operation.requestBody) return [];
  const rows = Object.entries(operation.requestBody.content).map(([type, media]) =>
    el("tr", {}, el("td", {}, el("code", {}, type)), el("td", { class: "type" }, ...typeOf(media.schema)), el("td", {}, media.schema.description || "")));
  return [el("h4", {}, "Body"), el("table", {}, el("tbody", {}, rows))];
}

function responses(operation) {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const media = Object.entries(response.content || {})[0] || ["", {}];
    return el("tr", {}, el("td", {}, el("code", {}, status)), el("td", { class: "type" }, ...typeOf(media[1].schema)), el("td", {}, response.description));
  });
  return [el("h4", {}, "Responses"), el("table", {}, el("tbody", {}, rows))];
}

// tryIt returns a form that calls an operation and shows the response.
function tryIt(method, path, operation) {
  if (operation.responses["200"]?.content?.["text/event-stream"]) return [];
  if (operation.security?.length === 1) return []; // it needs a signature
  const inputs = (operation.parameters || []).map((p) => [p, el("input", {
    name: p.name, required: p.required, autocomplete: "off", spellcheck: "false",
    placeholder: p.schema.default !== undefined ? String(p.schema.default) : p.in,
  })]);
  const body = operation.requestBody ? el("textarea", { name: "body", spellcheck: "false", required: true, placeholder: "{}" }) : null;
  const button = el("button", { type: "submit" }, "Try it");
  const output = el("output", { "aria-live": "polite" });
  return [el("form", {
    class: "try",
    submit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      output.replaceChildren(...(await call(method, address(path, inputs), body && body.value)));
      button.disabled = false;
    },
  },
  inputs.map(([p, input]) => el("label", {}, p.name, input)),
  body ? el("label", {}, "body", body) : null, button, output)];
}

function address(path, inputs) {
  const query = new URLSearchParams();
  for (const [p, input] of inputs) {
    const value = input.value.trim();
    if (p.in === "path") path = path.replace(`{${p.name}}`, encodeURIComponent(value));
    else if (p.in === "query" && value) query.set(p.name, value);
  }
  return path + (query.size ? "?" + query : "");
}

async function call(method, url, body) {
  const start = performance.now();
  try {
    const options = body == null ? { method } : { method, body, headers: { "Content-Type": "application/json" } };
    const response = await fetch(url, options);
    const text = await response.text();
    const took = Math.round(performance.now() - start);
    return [
      el("p", { class: "status" + (response.ok ? "" : " bad") }, `${response.status} in ${took} ms · ${method.toUpperCase()} ${url}`),
      el("pre", {}, pretty(text)),
    ];
  } catch (error) {
    return [el("p", { class: "status bad" }, String(error))];
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function showPath(path) {
  return el("span", { class: "path" }, path.split(/(\{[^}]+\})/).map((part) => (part.startsWith("{") ? el("b", {}, part) : part)));
}

function showOperation(method, path, operation) {
  const shown = el("details", { class: "op", id: operation.operationId },
    el("summary", {}, el("span", { class: "verb " + method }, method.toUpperCase()), showPath(path), el("span", { class: "what" }, operation.summary)));
  shown.addEventListener("toggle", () => {
    if (shown.children.length > 1) return;
    const rpcs = operation["x-rpc"] || [];
    shown.append(el("div", { class: "body" },
      operation.description ? el("p", {}, operation.description) : null,
      rpcs.length ? el("p", {}, "RPC: ", el("code", {}, rpcs.join(", "))) : null,
      parameters(operation), requestBody(operation), responses(operation), tryIt(method, path, operation)));
  });
  return shown;
}

function showGroups(spec) {
  const groups = document.getElementById("groups");
  const menu = document.getElementById("menu-items");
  for (const tag of spec.tags) {
    const section = el("section", { class: "group", id: "tag-" + tag.name }, el("h2", {}, tag.name), el("p", {}, tag.description));
    const items = el("div", { class: "items" }, el("h2", {}, tag.name));
    for (const [path, item] of Object.entries(spec.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!operation.tags?.includes(tag.name)) continue;
        section.append(showOperation(method, path, operation));
        items.append(el("a", { class: "item", href: "#" + operation.operationId, "data-find": `${path} ${operation.operationId}`.toLowerCase() }, operation.summary));
      }
    }
    groups.append(section);
    menu.append(items);
  }
}

function showCodes(spec) {
  const rows = (spec["x-problem-codes"] || []).map((c) =>
    el("tr", { id: c.code }, el("td", {}, el("code", {}, c.code)), el("td", {}, String(c.status)), el("td", {}, c.meaning)));
  document.getElementById("code-rows").append(...rows);
  document.getElementById("codes").hidden = false;
}

function showSchemas(spec) {
  const shown = Object.entries(spec.components.schemas).map(([name, schema]) => showSchema(name, schema));
  document.getElementById("schema-items").append(...shown);
  document.getElementById("schemas").hidden = false;
}

function search() {
  const field = document.getElementById("search");
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    document.getElementById("menu").classList.toggle("searching", words.length > 0);
    for (const items of document.querySelectorAll("#menu-items .items")) {
      let any = false;
      for (const item of items.querySelectorAll("a")) {
        const text = item.dataset.find + " " + item.textContent.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
        any ||= !item.hidden;
      }
      items.hidden = !any;
    }
  });
}

// follow opens the element that the fragment of the address names.
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (const item of document.querySelectorAll("nav a.item")) item.classList.toggle("here", item.hash === location.hash);
  if (!target) return;
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
}

async function main() {
  const about = document.getElementById("about");
  try {
    const spec = await (await fetch("/openapi.json")).json();
    about.textContent = spec.info.description.replaceAll("`", "") + `\n\nVersion ${spec.info.version}.`;
    showGroups(spec);
    showCodes(spec);
    showSchemas(spec);
    search();
    addEventListener("hashchange", follow);
    follow();
  } catch (error) {
    about.textContent = "The OpenAPI document cannot be read: " + error;
  }
}

main();
