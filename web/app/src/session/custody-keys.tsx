// Custody keys of the account that is signed in: a list with what they may do, and a form that adds one.
import { CustodySignatureType, passkeyKeyId } from "makechain";
import { useState } from "preact/hooks";
import { CheckField, Form, SelectField, TextField } from "../actions/form.js";
import { ErrorMessage } from "../components/index.js";
import { useShared } from "../context.js";
import { parseHex } from "../actions/rules.js";
import { address } from "../format.js";
import { authorize, type NewCustodyKey, parsePublicKey } from "./custody.js";
import { createPasskey } from "./passkey.js";
import { useSession } from "./session.js";

type Kind = "passkey" | "secp256k1" | "p256";

const kinds = [
  ["passkey", "Another passkey: a phone, a security key"],
  ["secp256k1", "An Ethereum wallet, by its public key"],
  ["p256", "A P-256 key, by its public key"],
] as const;

const hints = {
  passkey: "",
  secp256k1: "65 bytes in hex that begin with 04. An address is not enough, because only a signature reveals the key of an address.",
  p256: "64 bytes in hex: x and y. 65 bytes that begin with 04 work too.",
} as const;

/** AddCustodyKey adds a key that can change the keys of the account, for the case that the passkey is lost. */
export function AddCustodyKey() {
  const { client } = useShared();
  const { session, perform } = useSession();
  const [kind, setKind] = useState<Kind>("passkey");
  const [text, setText] = useState("");
  const [admin, setAdmin] = useState(true);
  const [expiry, setExpiry] = useState("");
  const [error, setError] = useState<Error>();
  const [added, setAdded] = useState("");
  if (session === undefined) return null;
  const parsed = kind === "passkey" ? undefined : parsePublicKey(kind, parseHex(text.trim()));
  const keyFault = kind === "passkey" || parsed !== undefined ? "" : "This is not a public key of this type.";
  const expiryFault = admin || expiry === "" || (/^\d{4}-\d\d-\d\d$/.test(expiry) && Date.parse(expiry) > Date.now()) ? "" : "This is not a day in the future, as 2030-12-31.";

  const expiresAt = admin || expiry === "" ? 0n : BigInt(Math.floor(Date.parse(`${expiry}T23:59:59Z`) / 1000));

  const newKey = async (): Promise<NewCustodyKey> => {
    if (parsed !== undefined) return { ...parsed, admin, expiresAt };
    const passkey = await createPasskey(session.name === "" ? address(session.account) : session.name, session.account);
    return { type: CustodySignatureType.WEBAUTHN_P256, publicKey: passkey.publicKey, keyId: passkeyKeyId(passkey.publicKey), admin, expiresAt };
  };
  const submit = async () => {
    setError(undefined);
    try {
      const key = await newKey();
      const words = `Authorize the custody key ${address(key.keyId)}${key.admin ? " as admin: it can add and revoke keys of the account" : ", without admin rights"}`;
      const change = await authorize(client, session, key);
      const committed = await perform({ title: "Add a custody key", verb: "Add", items: [{ kind: "custody", words, change }] });
      setAdded(committed ? address(key.keyId) : "");
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  };
  return (
    <>
      <Form label={kind === "passkey" ? "Create and add a passkey" : "Add the key"} verb="add-custody-key" fault={keyFault || expiryFault} submit={submit}>
        <SelectField label="Key" value={kind} change={setKind} options={kinds} />
        {kind !== "passkey" && <TextField label="Public key" hint={hints[kind]} error={keyFault} value={text} change={setText} input={{ spellcheck: false, autocomplete: "off" }} />}
        <CheckField label="Admin: it can add and revoke keys" checked={admin} change={setAdmin} />
        {!admin && <TextField label="Expires" hint="Optional: the last day in UTC, as 2030-12-31. Admin keys do not expire." error={expiryFault} value={expiry} change={setExpiry} />}
      </Form>
      {error !== undefined && <ErrorMessage error={error} />}
      {added !== "" && <p role="status">The key {added} is authorized.</p>}
    </>
  );
}
