// Accessibility checks in the page.
import axe from "axe-core";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** violations returns what axe-core finds in a tab, one line for each kind with the elements. */
export async function violations(tab) {
  await tab.page.evaluate(axe.source);
  const found = await tab.page.evaluate((tags) => globalThis.axe.run(document, { runOnly: tags, resultTypes: ["violations"] }), tags);
  return found.violations.map(({ id, help, nodes }) => {
    const elements = nodes.slice(0, 5).map((node) => `  ${node.html.slice(0, 200)}\n    ${node.failureSummary.replaceAll("\n", " ")}`);
    return `${id}: ${help} (${nodes.length})\n${elements.join("\n")}`;
  });
}

/** overflow returns the elements that are wider than the page, if it scrolls horizontally. */
export async function overflow(tab) {
  return await tab.page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .slice(0, 10)
      .map((element) => element.outerHTML.slice(0, 200));
  });
}
