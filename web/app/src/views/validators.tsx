import type { ViewProps } from "../app.js";
import { Badge, ErrorMessage, Hash, Rows, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { address, count, hex, plural } from "../format.js";
import { Heading } from "../heading.js";
import { useProven } from "../load.js";

/** Validators lists the validators of the newest block, from the light block that they signed. */
export default function Validators(_: ViewProps) {
  const { client } = useShared();
  const root = useProven("validators", () => client.certify());
  const trusted = useProven("trusted", async () => ({ value: await client.trusted(), evidence: (await client.certify()).evidence }));
  if (root.status !== "proven") {
    return (
      <div class="stack">
        <div class="title-row">
          <Heading title="Validators" />
          <Badge of={root} />
        </div>
        {root.status === "failed" || root.status === "invalid" ? <ErrorMessage error={root.error} /> : <Skeleton lines={6} />}
      </div>
    );
  }
  const { validators, header } = root.value;
  const total = validators.reduce((sum, validator) => sum + validator.power, 0n);
  return (
    <div class="stack">
      <div class="title-row">
        <Heading title="Validators" />
        <Badge of={root} />
      </div>
      <p class="muted">
        {plural(validators.length, "validator")} with a voting power of {count(total)} signed block {count(header.height)} of {header.chainId}. More than two thirds of the power must sign each block.
      </p>
      <Rows caption={`Validators of block ${String(header.height)}`} columns={["Public key", ["Address", "wide"], ["Power", "number"], ["Share", "number"]]}>
        {validators.map((validator) => (
          <tr key={hex(validator.publicKey)}>
            <td>
              <Hash of={validator.publicKey} length={16} />
            </td>
            <td class="wide">
              <Hash of={address(validator.address)} length={16} />
            </td>
            <td class="number">{count(validator.power)}</td>
            <td class="number">
              <meter class="share" min={0} max={1} value={Number(validator.power) / Number(total)} aria-label="Share of the voting power" />{" "}
              {((100 * Number(validator.power)) / Number(total)).toFixed(1)} %
            </td>
          </tr>
        ))}
      </Rows>
      {trusted.status === "proven" && (
        <section class="panel" aria-labelledby="trust">
          <div class="panel-head">
            <h2 id="trust">Trusted now</h2>
          </div>
          <dl class="facts panel-body">
            <dt>Chain</dt>
            <dd>{trusted.value.chainId}</dd>
            <dt>Validators</dt>
            <dd>
              <Hash of={trusted.value.validatorsHash} full />
            </dd>
            <dt>Since block</dt>
            <dd>{count(trusted.value.blockNumber)}</dd>
          </dl>
        </section>
      )}
    </div>
  );
}
