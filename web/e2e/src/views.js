// Every view of the page, for the tests and the screenshots that go through all of them.
import { createAccount, sign } from "./person.js";

/** views returns the name and the route of every view of the chain of startChain. */
export async function views(tab, chain) {
  const { alice, head } = chain;
  const project = "/project/alice/hello";
  const main = encodeURIComponent("refs/heads/main");
  const [request] = (await alice.makechain("mr", "list", "alice/hello", "--full")).match(/\b[0-9a-f]{64}\b/);
  const [project_id] = (await alice.makechain("project", "show", "alice/hello", "--full")).match(/\b[0-9a-f]{64}\b/);
  await tab.open("/messages");
  const message = await tab.wait("a message is listed", () => document.querySelector('main a[href^="#/message/"]')?.hash.slice(1));
  return [
    ["home", "/"],
    ["search", "/search?q=hello"],
    ["blocks", "/blocks"],
    ["block", "/block/5"],
    ["messages", "/messages"],
    ["message", message],
    ["validators", "/validators"],
    ["node", "/node"],
    ["account", "/account/alice"],
    ["project", project],
    ["project-by-id", `/project/${project_id}`],
    ["tree", `${project}/tree/${main}/src`],
    ["file", `${project}/file/${main}/src/parse.go`],
    ["history", `${project}/history/${main}/src/parse.go`],
    ["commits", `${project}/commits/${main}`],
    ["commit", `${project}/commit/${head}`],
    ["refs", `${project}/refs`],
    ["reflog", `${project}/log`],
    ["forks", `${project}/forks`],
    ["people", `${project}/people`],
    ["content", `${project}/content`],
    ["requests", `${project}/requests`],
    ["request", `${project}/request/${request}`],
    ["signin", "/signin"],
    ["not-found", "/nothing/here"],
  ];
}

/**
 * signedViews returns the name and the route of the views that need an account, which it creates in a tab with an authenticator: dora has a
 * project and a fork. A third element is what to do there: to open the dialog that signs.
 */
export async function signedViews(tab) {
  await createAccount(tab, "dora");
  await tab.open("/new");
  await tab.fill("Name", "notes");
  await sign(tab, "create-project");
  await tab.open("/new?fork=alice%2Fhello");
  await sign(tab, "fork");
  await tab.wait("the fork is shown", () => location.hash === "#/project/dora/hello");
  return [
    ["settings", "/settings"],
    ["new", "/new"],
    ["fork", "/new?fork=alice%2Fhello"],
    ["open-request", "/project/dora/hello/requests?state=new"],
    ["project-settings", "/project/dora/notes/settings"],
    ["dialog", "/project/alice/hello", async () => {
      await tab.click('[data-testid="action-star"]');
      await tab.page.waitForSelector('dialog[open] [data-testid="review-sign"]');
    }],
  ];
}
