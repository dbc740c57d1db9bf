// Chromium with an empty profile, and tabs that record everything that must not happen.
import { createServer } from "node:http";
import puppeteer from "puppeteer-core";
import { temporary } from "./scratch.js";

/** limit is how long a condition may take, in milliseconds. It is generous: a busy machine must not fail a test. */
export const limit = 1000 * Number(process.env.MAKECHAIN_LIMIT_SECONDS ?? 120);

/** startBrowser starts Chromium with an empty profile. Requests to other hosts than localhost end in a proxy, which records those of the content. */
export async function startBrowser() {
  const foreign = await startRecorder();
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    userDataDir: temporary(),
    protocolTimeout: 3 * limit,
    timeout: 3 * limit,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-features=MediaRouter,OptimizationHints,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
      `--proxy-server=${foreign.address}`,
      "--force-color-profile=srgb",
    ],
  });
  return {
    browser,
    /** foreign returns the requests to hosts that the content of the tests names. */
    foreign: () => foreign.hosts,
    /** tab opens a tab at the start of a page, with an authenticator of its own if it is to have one. */
    async tab(url, options = {}) {
      return await new Tab(await browser.newPage(), url).prepare(options);
    },
    async stop() {
      await browser.close();
      foreign.stop();
    },
  };
}

async function startRecorder() {
  const hosts = [];
  const record = (url) => {
    // All names in the content of tests end in .example; the others are Chromium's own, which looks for updates whatever its flags are.
    if (/\.example\b/.test(url)) hosts.push(url);
  };
  const server = createServer((request, response) => {
    record(request.url);
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    socket.on("error", () => socket.destroy()); // the browser may close it at any time
    record(request.url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { hosts, address: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** Tab is a tab of the browser. Console errors, exceptions, dialogs, CSP violations and requests to other hosts are problems. */
export class Tab {
  problems = [];

  constructor(page, url) {
    this.page = page;
    this.url = url;
  }

  async prepare({ passkey = false, width = 1280, height = 900, dark = false } = {}) {
    const { page } = this;
    page.setDefaultTimeout(limit);
    page.setDefaultNavigationTimeout(limit);
    page.on("console", (message) => {
      const url = message.location().url ?? "";
      // Chromium reports answers that are part of the protocol: 404 for what does not exist, after which the page asks for the proof of its
      // absence, and 503 for the light block of the newest block, which the next one certifies.
      if (message.type() !== "error" || (/status of (404|503)/.test(message.text()) && /\/makechain\.MakechainService\/Get/.test(url))) return;
      this.problems.push(`console: ${message.text()} ${url}`);
    });
    page.on("pageerror", (error) => this.problems.push(`exception: ${error.stack ?? error.message}`));
    page.on("dialog", (dialog) => {
      this.problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (!["data:", "blob:"].includes(protocol) && origin !== this.url) this.problems.push(`request to another host: ${request.url()}`);
    });
    await page.evaluateOnNewDocument(() => {
      addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy ${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`);
      });
    });
    await page.setViewport({ width, height });
    await this.dark(dark);
    if (passkey) await this.addAuthenticator();
    return this;
  }

  /** dark sets the colour scheme. Motion is always reduced, so that what is seen does not depend on time. */
  async dark(dark) {
    await this.page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
  }

  /** addAuthenticator gives the tab a platform authenticator that confirms everything, with or without the PRF extension. */
  async addAuthenticator({ prf = true } = {}) {
    this.devtools = await this.page.createCDPSession();
    await this.devtools.send("WebAuthn.enable", { enableUI: false });
    const { authenticatorId } = await this.devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        ctap2Version: "ctap2_1",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        hasPrf: prf,
      },
    });
    this.authenticatorId = authenticatorId;
  }

  /** open shows a route, such as "/project/alice/hello", and waits until everything in it is loaded. */
  async open(route) {
    const address = `${this.url}/#${route}`;
    if (this.page.url().startsWith(this.url + "/")) {
      await this.page.evaluate((fragment) => (location.hash = fragment), `#${route}`);
    } else {
      await this.page.goto(address);
    }
    await this.settled();
  }

  /** reload loads the page again: nothing is cached in its memory. */
  async reload() {
    await this.page.reload();
    await this.settled();
  }

  /** settled waits until the view is there and no value of it is being loaded or verified. */
  async settled() {
    await this.wait("everything is loaded and verified", () => {
      const main = document.querySelector("main");
      if (main === null || document.title === "" || main.querySelector("h1") === null) return false;
      // What is far below is loaded when the reader comes near.
      const near = (element) => element.getBoundingClientRect().top < innerHeight + 500;
      return ![...document.querySelectorAll('[data-status="verifying"], [aria-busy="true"]')].some(near);
    });
  }

  /** wait returns when a function in the page returns a value that is not false, and returns the value. */
  async wait(what, condition, ...args) {
    try {
      const handle = await this.page.waitForFunction(condition, { timeout: limit, polling: 50 }, ...args);
      return await handle.jsonValue();
    } catch (error) {
      throw new Error(`${this.page.url()}: not after ${limit / 1000} s: ${what}\n${error.message}\n${await this.describe()}`);
    }
  }

  /** sees waits until the main part or a dialog contains a text. */
  async sees(text) {
    await this.wait(`the page shows ${JSON.stringify(text)}`, (text) => document.body.innerText.includes(text), text);
  }

  /** click clicks what matches a selector as soon as it can be clicked. */
  async click(selector) {
    await this.#act(`click on ${selector}`, () => this.page.locator(selector).setTimeout(limit).click());
  }

  /** press clicks the button or link with an accessible name. */
  async press(name, role = "button") {
    await this.click(`::-p-aria([name="${name}"][role="${role}"])`);
  }

  /** fill replaces the content of the field with a label. */
  async fill(label, value) {
    await this.#act(`fill in ${label}`, () => this.page.locator(`::-p-aria([name="${label}"])`).setTimeout(limit).fill(value));
  }

  async #act(what, action) {
    try {
      await action();
    } catch (error) {
      throw new Error(`${this.page.url()}: cannot ${what}: ${error.message}\n${await this.describe()}`);
    }
  }

  /** badges returns the status and the text of every badge. */
  async badges() {
    return await this.page.$$eval('[data-testid="badge"]', (badges) =>
      badges.map((badge) => ({ status: badge.dataset.status, text: badge.textContent, label: badge.getAttribute("aria-label") ?? "" })),
    );
  }

  /** text returns what the main part of the page shows. */
  async text() {
    return await this.page.$eval("main", (main) => main.innerText);
  }

  async describe() {
    const text = await this.page.evaluate(() => document.body?.innerText.slice(0, 4000)).catch(() => "(no page)");
    return `the page shows:\n${text}\nproblems: ${this.problems.join("\n")}`;
  }

  /** sane fails if something happened that must not, except for problems that match an expected pattern. */
  sane(...expected) {
    const found = this.problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    this.problems = [];
    if (found.length > 0) throw new Error(`in ${this.page.url()}:\n${found.join("\n")}`);
  }
}
