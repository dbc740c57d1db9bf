import { rows, VerificationType } from "makechain";
import { Ago, Badge, Empty, Hash, More, Rows } from "../components/index.js";
import { useShared } from "../context.js";
import { address as addressText, hex } from "../format.js";
import { Heading } from "../heading.js";
import { usePages } from "../load.js";
import type { AccountViewProps } from "./account.js";

const kinds = { [VerificationType.NONE]: "unknown", [VerificationType.ETH_ADDRESS]: "Ethereum", [VerificationType.SOL_ADDRESS]: "Solana" } as const;

/** AccountVerifications lists the addresses on other chains that an account proved to own. */
export default function AccountVerifications({ address, name }: AccountViewProps) {
  const { client } = useShared();
  const verifications = usePages(`verifications ${addressText(address)}`, () => client.rows(rows.verification, address));
  return (
    <section class="panel" aria-labelledby="tab">
      <div class="panel-head">
        <Heading level={2} title={`Verifications of ${name}`}>
          <span id="tab">Verifications</span>
        </Heading>
        <Badge of={verifications.loaded} />
      </div>
      <div class="panel-body">
        {verifications.items.length === 0 && verifications.loaded.status === "proven" && <Empty title="This account verified no addresses on other chains." command="makechain verify add --help" />}
        {verifications.items.length > 0 && (
          <Rows caption="Verified addresses" columns={["Chain", "Address", ["Added", "number"]]}>
            {verifications.items.map((entry) => (
              <tr key={hex(entry.address)}>
                <td>{kinds[entry.value.verificationType]}</td>
                <td>
                  <Hash of={entry.address.length === 20 ? addressText(entry.address) : hex(entry.address)} length={16} />
                </td>
                <td class="number muted">
                  <Ago time={entry.value.timestamp} />
                </td>
              </tr>
            ))}
          </Rows>
        )}
        <More of={verifications} />
      </div>
    </section>
  );
}
