// Reads the vector files.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../testdata/vectors/", import.meta.url));

export function load<T>(name: string): T {
  return JSON.parse(readFileSync(root + name, "utf8")) as T;
}

// list returns the names of the files of a directory, in order.
export function list(directory: string): string[] {
  return readdirSync(root + directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => `${directory}/${name}`);
}
