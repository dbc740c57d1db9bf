// The part of a browser's XMLHttpRequest that grpc-web uses, on node's HTTP/1.1 client: text is available while it arrives,
// binary data when it is complete.

import { request } from "node:http";

export class XMLHttpRequest {
  readyState = 0;
  status = 0;
  statusText = "";
  responseText = "";
  response = "";
  responseType = "";
  responseURL = "";
  withCredentials = false;
  onreadystatechange = null;
  #headers = {};
  #answer = null;

  open(method, url) {
    this.#request = { method, url };
    this.#become(1);
  }

  setRequestHeader(name, value) {
    this.#headers[name] = value;
  }

  send(body) {
    const { method, url } = this.#request;
    const call = request(url, { method, headers: this.#headers }, (answer) => this.#read(answer));
    call.on("error", () => this.#become(4));
    call.end(typeof body === "string" ? body : Buffer.from(body ?? []));
    this.#call = call;
  }

  abort() {
    this.onreadystatechange = null;
    this.#call?.destroy();
  }

  getResponseHeader(name) {
    return this.#answer?.headers[name.toLowerCase()] ?? null;
  }

  getAllResponseHeaders() {
    return Object.entries(this.#answer?.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  }

  #request;
  #call;

  #become(state) {
    this.readyState = state;
    this.onreadystatechange?.();
  }

  #read(answer) {
    this.#answer = answer;
    this.status = answer.statusCode;
    const parts = [];
    this.#become(2);
    answer.on("data", (part) => {
      parts.push(part);
      if (this.responseType === "" || this.responseType === "text") this.response = this.responseText += part.toString("latin1");
      this.#become(3);
    });
    answer.on("end", () => {
      if (this.responseType === "arraybuffer") this.response = new Uint8Array(Buffer.concat(parts)).buffer;
      this.#become(4);
    });
  }
}
