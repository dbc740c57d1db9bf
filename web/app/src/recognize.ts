// What somebody means by the text in the search box.

/** Meaning is something that the text can name. Which of them exist is looked up. */
export type Meaning =
  | { readonly kind: "block"; readonly number: bigint }
  | { readonly kind: "account"; readonly name: string }
  | { readonly kind: "project"; readonly name: string }
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "commit"; readonly id: string }
  | { readonly kind: "key"; readonly key: string };

/** recognize returns what a text can mean, most likely first. A text that names nothing exactly is a query for names only. */
export function recognize(text: string): Meaning[] {
  const query = text.trim().replace(/^makechain:\/\//, "").replace(/^@/, "");
  const digits = query.replace(/^#/, "").replace(/(?<=\d)[,_ ](?=\d{3}\b)/g, "");
  const meanings: Meaning[] = [];
  if (/^[1-9][0-9]{0,14}$/.test(digits)) meanings.push({ kind: "block", number: BigInt(digits) });
  const hexadecimal = query.toLowerCase();
  if (/^0x[0-9a-f]{40}$/.test(hexadecimal)) return [{ kind: "account", name: hexadecimal }];
  if (/^[0-9a-f]{40}$/.test(hexadecimal)) return [{ kind: "commit", id: hexadecimal }, { kind: "account", name: "0x" + hexadecimal }];
  if (/^(0x)?[0-9a-f]{64}$/.test(hexadecimal)) {
    const hash = hexadecimal.replace(/^0x/, "");
    return [{ kind: "hash", hash }, { kind: "commit", id: hash }, { kind: "key", key: hash }];
  }
  const path = query.replace(/\.git$/, "").split("/");
  if (path.length === 2 && path.every((part) => part !== "") && isOwner(path[0] ?? "")) meanings.push({ kind: "project", name: path.join("/") });
  if (path.length === 1 && isUsername(hexadecimal)) meanings.push({ kind: "account", name: hexadecimal });
  return meanings;
}

const isUsername = (text: string): boolean => /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(text);
const isOwner = (text: string): boolean => isUsername(text) || /^0x[0-9a-f]{40}$/i.test(text);
