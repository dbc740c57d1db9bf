import { render } from "preact";
import { App } from "./app.js";
import { SharedContext } from "./context.js";
import { connect, loadPage } from "./page.js";
import { parseRoute } from "./route.js";

// Views other than the first one are in another script, which is requested at once instead of after the frame was drawn.
if (parseRoute(location.hash).path.length > 0) import("./later.js").catch(() => undefined); // the view reports it

const root = document.getElementById("app")!;
try {
  const page = await loadPage();
  render(
    <SharedContext.Provider value={{ page, client: connect(page) }}>
      <App />
    </SharedContext.Provider>,
    root,
  );
} catch (error) {
  render(<p role="alert">The page cannot start: {error instanceof Error ? error.message : String(error)}. Reload it when the node runs.</p>, root);
}
