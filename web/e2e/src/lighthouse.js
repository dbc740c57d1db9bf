// Lighthouse in a browser of its own, with an empty profile.
import lighthouse, { desktopConfig } from "lighthouse";
import { startBrowser } from "./browser.js";

/** scores returns the scores of a route, 0 to 100, and the audits that did not pass. */
export async function scores(url, route, { phone = false } = {}) {
  const browser = await startBrowser();
  try {
    const flags = { port: Number(new URL(browser.browser.wsEndpoint()).port), onlyCategories: ["performance", "accessibility", "best-practices"], logLevel: "error" };
    const { lhr } = await lighthouse(`${url}/#${route}`, flags, phone ? undefined : desktopConfig);
    const failed = Object.values(lhr.categories).flatMap(({ id, auditRefs }) =>
      id === "performance" ? [] : auditRefs.filter(({ id, weight }) => weight > 0 && (lhr.audits[id].score ?? 1) < 1).map(({ id }) => `${id}: ${lhr.audits[id].title} ${JSON.stringify(lhr.audits[id].details?.items ?? []).slice(0, 500)}`),
    );
    const score = (category) => Math.round(lhr.categories[category].score * 100);
    const milliseconds = (audit) => Math.round(lhr.audits[audit].numericValue);
    return {
      performance: score("performance"),
      accessibility: score("accessibility"),
      practices: score("best-practices"),
      firstPaint: milliseconds("first-contentful-paint"),
      largestPaint: milliseconds("largest-contentful-paint"),
      shift: lhr.audits["cumulative-layout-shift"].numericValue,
      failed,
    };
  } finally {
    await browser.stop();
  }
}
