// Recomputes every vector from its fields and prints `N passed, M failed` at the end.

import { checkCustody, type CustodyFile } from "./custody.js";
import { checkMessages, checkSigned, type MessageFile, type SignedMessage } from "./messages.js";
import { checkProvenSets, type ProvenSet } from "./proofs.js";
import { Report } from "./report.js";
import { checkRules, type RulesVector } from "./rules.js";
import { checkSchema } from "./schema.js";
import { checkScenario, type Scenario } from "./scenarios.js";
import { checkSettlements, type SettlementVector } from "./settlement.js";
import { checkTrees, type RowSet } from "./tree.js";
import { type ChangeVector, checkChanges } from "./validators.js";
import { list, load } from "./vectors.js";

const report = new Report();
report.section("docs/spec/wire.md", () => checkSchema(report));
report.section("known/messages.json", () => checkSigned(report, "known message", load<SignedMessage[]>("known/messages.json")));
report.section("known/custody.json", () => checkCustody(report, "known custody", load<CustodyFile>("known/custody.json")));
report.section("known/tree.json", () => checkProvenSets(report, "known tree", load<ProvenSet[]>("known/tree.json")));
report.section("messages.json", () => checkMessages(report, "message", load<MessageFile>("messages.json")));
report.section("custody.json", () => checkCustody(report, "custody", load<CustodyFile>("custody.json")));
report.section("tree.json", () => checkTrees(report, "tree", load<RowSet[]>("tree.json")));
report.section("proofs.json", () => checkProvenSets(report, "proofs", load<ProvenSet[]>("proofs.json")));
report.section("validators.json", () => checkChanges(report, load<ChangeVector[]>("validators.json")));
report.section("settlement.json", () => checkSettlements(report, load<SettlementVector[]>("settlement.json")));
report.section("rules.json", () => checkRules(report, load<RulesVector[]>("rules.json")));
report.section("scenarios", () => {
  for (const file of list("scenarios")) {
    report.section(file, () => checkScenario(report, file, load<Scenario>(file)));
  }
});

console.log(`${report.passed} passed, ${report.failed} failed`);
process.exitCode = report.failed === 0 ? 0 : 1;
