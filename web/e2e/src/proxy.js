// A node that lies: a proxy between the page and a real node, which changes what the node answers.
import { createServer, request as forward } from "node:http";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { MakechainService } from "../../client/dist/gen/makechain/service_pb.js";

/**
 * startLiar serves what a node serves, except that lie(path, body) may return other bytes for an answer. Only answers without an
 * error are passed to it. redirect(path) may return another URL for a request, and ask(path, question)
 * another question, or the error code of a refusal. All can be replaced at any time.
 */
export async function startLiar(node) {
  const target = new URL(node.url);
  const liar = { lie: undefined, redirect: undefined, ask: undefined, url: "", lies: 0 };
  const server = createServer((incoming, outgoing) => {
    const elsewhere = liar.redirect?.(incoming.url);
    if (elsewhere !== undefined) return void outgoing.writeHead(307, { location: elsewhere }).end();
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const question = Buffer.concat(chunks);
      const asked = liar.ask?.(incoming.url, question) ?? question;
      if (asked !== question) liar.lies++;
      if (typeof asked === "string") return void outgoing.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ code: asked }));
      const headers = { ...incoming.headers, host: target.host, ...(asked.length > 0 ? { "content-length": asked.length } : {}) };
      delete headers["accept-encoding"]; // a lie is about the bytes, not about their compression
      const passed = forward({ host: target.hostname, port: target.port, method: incoming.method, path: incoming.url, headers }, (answer) => {
        answer.on("error", () => outgoing.destroy());
        if (liar.lie === undefined || answer.statusCode !== 200 || /event-stream/.test(answer.headers["content-type"] ?? "")) {
          outgoing.writeHead(answer.statusCode, answer.headers);
          answer.pipe(outgoing);
          return;
        }
        change(answer, outgoing, incoming.url, asked);
      });
      passed.on("error", () => outgoing.destroy());
      outgoing.on("close", () => passed.destroy());
      passed.end(asked);
    });
  });

  function change(answer, outgoing, path, question) {
    const chunks = [];
    answer.on("data", (chunk) => chunks.push(chunk));
    answer.on("end", () => {
      const body = Buffer.concat(chunks);
      const changed = liar.lie?.(path, body, question);
      if (changed !== undefined) liar.lies++;
      const sent = changed ?? body;
      outgoing.writeHead(200, { ...answer.headers, "content-length": sent.length });
      outgoing.end(sent);
    });
  }

  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  liar.url = `http://localhost:${server.address().port}`;
  liar.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return liar;
}

/** answer returns a lie about the answers of a method: change receives the decoded answer and the request, and returns false to leave it. */
export function answer(method, change) {
  const { name, input, output } = MakechainService.method[method];
  return (path, body, question) => {
    if (!path.endsWith(`/makechain.MakechainService/${name}`)) return undefined;
    const message = fromBinary(output, body);
    return change(message, fromBinary(input, question)) === false ? undefined : Buffer.from(toBinary(output, message));
  };
}

/** absence returns what to ask when a node denies that rows exist: it refuses their proofs, and proves the absence of other rows instead. */
export function absence() {
  const { input, name } = MakechainService.method.getExclusionProof;
  return (path, question) => {
    const isMembership = path.endsWith("/makechain.MakechainService/GetOperationProof");
    if (!isMembership && !path.endsWith(`/makechain.MakechainService/${name}`)) return undefined;
    const { key } = fromBinary(isMembership ? MakechainService.method.getOperationProof.input : input, question);
    return isMembership ? "not_found" : Buffer.from(toBinary(input, { ...fromBinary(input, question), key: flip(key) }));
  };
}

/** object returns a lie about a git object. */
export function object(id, change) {
  return (path, body) => (path.endsWith(`/objects/${id}`) ? change(body) : undefined);
}

/** replace returns bytes of the same length in which a part, which must be there, has another value. */
export function replace(bytes, part, other) {
  const changed = Buffer.from(bytes);
  const at = changed.indexOf(part);
  if (at < 0 || Buffer.from(part).length !== Buffer.from(other).length) throw new Error("the answer does not have what is to be replaced");
  changed.set(Buffer.from(other), at);
  return changed;
}

/** flip returns bytes with one changed bit. */
export function flip(bytes, at = bytes.length - 1) {
  const changed = Buffer.from(bytes);
  changed[at] ^= 1;
  return changed;
}
