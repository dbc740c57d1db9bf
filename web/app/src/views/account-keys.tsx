import { CustodyKeyStatus, CustodySignatureType, KeyScope, rows } from "makechain";
import { Ago, Badge, Hash, More, ProjectLink, Rows } from "../components/index.js";
import { useShared } from "../context.js";
import { address as addressText, hex } from "../format.js";
import { Heading } from "../heading.js";
import { usePages } from "../load.js";
import type { AccountViewProps } from "./account.js";

const scopes = { [KeyScope.OWNER]: "owner", [KeyScope.SIGNING]: "signing", [KeyScope.AGENT]: "agent" } as const;
const kinds = {
  [CustodySignatureType.NONE]: "unknown",
  [CustodySignatureType.SECP256K1]: "secp256k1",
  [CustodySignatureType.P256]: "P-256",
  [CustodySignatureType.WEBAUTHN_P256]: "passkey",
} as const;

/** AccountKeys lists the keys that sign for an account and the wallets that control it. Both lists are proven to be complete. */
export default function AccountKeys({ address, name }: AccountViewProps) {
  const { client } = useShared();
  const owner = addressText(address);
  const keys = usePages(`keys ${owner}`, () => client.rows(rows.key, address));
  const custody = usePages(`custody ${owner}`, () => client.rows(rows.custodyKey, address));
  return (
    <div class="stack">
      <Heading level={2} title={`Keys of ${name}`}>
        Keys
      </Heading>
      <section class="panel" aria-labelledby="delegated">
        <div class="panel-head">
          <h3 id="delegated">Delegated keys</h3>
          <Badge of={keys.loaded} />
        </div>
        <div class="panel-body">
          {keys.items.length === 0 && keys.loaded.status === "proven" && <p class="muted">No key signs for this account.</p>}
          {keys.items.length > 0 && (
            <Rows caption="Keys that sign messages of the account" columns={["Public key", "Scope", ["Projects", "wide"], ["Added", "number"]]}>
              {keys.items.map(({ publicKey, value }) => (
                <tr key={hex(publicKey)}>
                  <td>
                    <Hash of={publicKey} length={16} />
                  </td>
                  <td>{scopes[value.scope]}</td>
                  <td class="wide">{value.allowedProjects.length === 0 ? <span class="muted">all</span> : value.allowedProjects.map((id) => <ProjectLink key={hex(id)} id={id} />)}</td>
                  <td class="number muted">
                    <Ago time={value.addedAt} />
                  </td>
                </tr>
              ))}
            </Rows>
          )}
          <More of={keys} />
        </div>
      </section>
      <section class="panel" aria-labelledby="custody">
        <div class="panel-head">
          <h3 id="custody">Custody keys</h3>
          <Badge of={custody.loaded} />
        </div>
        <div class="panel-body">
          <p class="muted">
            The root key, from which the address {owner.slice(0, 10)} follows, controls the account always{custody.items.length === 0 ? "." : ", and so do these:"}
          </p>
          {custody.items.length > 0 && (
            <Rows caption="Custody keys of the account" columns={["Key id", "Kind", "State", ["Added", "number"]]}>
              {custody.items.map(({ keyId, value }) => (
                <tr key={hex(keyId)}>
                  <td>
                    <Hash of={addressText(keyId)} length={16} />
                  </td>
                  <td>
                    {kinds[value.signatureType]} {value.admin && <span class="tag">admin</span>}
                  </td>
                  <td>
                    {value.status === CustodyKeyStatus.REVOKED ? <span class="tag tag-warn">revoked</span> : "active"}
                    {value.expiresAt > 0n && (
                      <span class="muted">
                        , expires <Ago time={value.expiresAt} />
                      </span>
                    )}
                  </td>
                  <td class="number muted">
                    <Ago time={value.addedAt} />
                  </td>
                </tr>
              ))}
            </Rows>
          )}
          <More of={custody} />
        </div>
      </section>
    </div>
  );
}
