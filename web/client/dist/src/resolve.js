// Names of accounts and projects.
import { fromHex } from "./bytes.js";
import { rows } from "./schema.js";
import { failed } from "./steps.js";
/** NotFoundError means that a name does not exist on the chain, which is proven. */
export class NotFoundError extends Error {
    kind;
    subject;
    name = "NotFoundError";
    constructor(kind, subject) {
        super(`there is no ${kind} ${JSON.stringify(subject)}`);
        this.kind = kind;
        this.subject = subject;
    }
}
/** NameError means that text is not a valid name. */
export class NameError extends Error {
    name = "NameError";
    constructor(subject, want) {
        super(`${JSON.stringify(subject)} is not a valid name: want ${want}`);
    }
}
const isAddress = (text) => /^(0[xX])?[0-9a-fA-F]{40}$/.test(text);
const isUsername = (text) => /^[a-z0-9](-?[a-z0-9])*$|^[a-z0-9][a-z0-9-]*[a-z0-9]$/.test(text) && text.length <= 32;
export async function resolveAccount(client, name) {
    if (isAddress(name))
        return { value: fromHex(name), evidence: (await client.certify()).evidence };
    if (!isUsername(name))
        throw new NameError(name, "a username (alice) or an address (0x and 40 hex digits)");
    const { value, evidence } = await client.row(rows.username, name);
    if (value === undefined)
        throw new NotFoundError("account", name);
    return { value: sized(value.ownerAddress, 20), evidence };
}
export async function resolveProject(client, name) {
    if (/^(0[xX])?[0-9a-fA-F]{64}$/.test(name))
        return { value: fromHex(name), evidence: (await client.certify()).evidence };
    const [owner, project, ...more] = name.split("/");
    if (owner === undefined || project === undefined || project === "" || more.length > 0) {
        throw new NameError(name, "owner/project (alice/hello) or a project id (64 hex digits)");
    }
    const account = await resolveAccount(client, owner);
    const { value, evidence } = await client.row(rows.projectName, account.value, project);
    if (value === undefined)
        throw new NotFoundError("project", name);
    return { value: sized(value.projectId, 32), evidence };
}
function sized(bytes, size) {
    if (bytes.length !== size)
        throw failed("value", `id of ${bytes.length} bytes, want ${size}`);
    return bytes;
}
