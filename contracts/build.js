// Compiles the contracts with the pinned compiler and writes the ABI and bytecode that programs and tests use. CI compiles them
// again and compares.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";

const root = dirname(fileURLToPath(import.meta.url));

// The contract of the product, and those of the tests alone.
const contracts = [
  { source: "StorageRent.sol", name: "StorageRent", output: "build/StorageRent.json" },
  { source: "test/Callers.sol", name: "Reentrant", output: "test/build/Reentrant.json" },
  { source: "test/Callers.sol", name: "Twice", output: "test/build/Twice.json" },
];

const sources = Object.fromEntries(contracts.map(({ source }) => [source, { content: readFileSync(join(root, source), "utf8") }]));
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: "Solidity",
      sources,
      settings: {
        evmVersion: "paris", // runs on every chain, also those without PUSH0
        optimizer: { enabled: true, runs: 10_000 },
        metadata: { bytecodeHash: "none", appendCBOR: false }, // comments do not change the bytecode
        outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
      },
    }),
    { import: (path) => (path in sources ? { contents: sources[path].content } : { error: "not found" }) },
  ),
);
// A future language reserves the name "at", which is a parameter of the event; its name is not part of the ABI's signature.
const reservedName = "6335";
const problems = (output.errors ?? []).filter(({ errorCode }) => errorCode !== reservedName);
for (const problem of problems) {
  console.error(problem.formattedMessage);
}
if (problems.length > 0) {
  process.exit(1);
}
for (const { source, name, output: file } of contracts) {
  const compiled = output.contracts[source][name];
  const artifact = { compiler: solc.version(), abi: compiled.abi, bytecode: "0x" + compiled.evm.bytecode.object };
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), JSON.stringify(artifact, null, 2) + "\n");
}
