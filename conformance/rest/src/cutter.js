// A TCP proxy that can close all its connections.

import { connect, createServer } from "node:net";

// startCutter forwards connections to an address until they are cut.
export async function startCutter(address) {
  const [host, port] = address.split(":");
  const open = new Set();
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    for (const [from, to] of [[client, upstream], [upstream, client]]) {
      open.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut: () => open.forEach((socket) => socket.destroy()),
    close: () => {
      open.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}
