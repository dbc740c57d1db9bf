// nginx with its default settings, in front of a gateway.

import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

// configuration forwards all requests and does not change buffering, compression or timeouts.
const configuration = (dir, port, upstream) => `
daemon off;
worker_processes 1;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
  gzip on;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://${upstream}; }
  }
}
`;

// startNginx starts nginx in a directory in front of an address.
export async function startNginx(dir, upstream) {
  await mkdir(dir, { recursive: true });
  const port = await freePort();
  const file = join(dir, "nginx.conf");
  await writeFile(file, configuration(dir, port, upstream));
  const url = `http://127.0.0.1:${port}`;
  let child = await run(dir, file, url);
  const stop = async () => {
    child.kill("SIGTERM"); // fast shutdown: open connections are closed
    await child.ended;
  };
  return {
    url,
    stop,
    restart: async () => {
      await stop();
      child = await run(dir, file, url);
    },
  };
}

// run starts nginx and resolves when it serves.
async function run(dir, file, url) {
  const child = spawn("nginx", ["-p", dir, "-c", file, "-e", join(dir, "error.log")], { stdio: ["ignore", "inherit", "inherit"] });
  child.ended = new Promise((resolve) => child.once("exit", resolve));
  let hasEnded = false;
  child.ended.then(() => (hasEnded = true));
  for (;;) {
    if (hasEnded) throw new Error("nginx exited before it served");
    const response = await fetch(`${url}/healthz`).catch(() => null);
    if (response?.ok) return child;
    await pause(20);
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
