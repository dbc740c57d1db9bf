// What a message does, as text and ids.
import { LinkType, type Message, MessageDataSchema, MessageType, Permission } from "makechain";
import { gitId, plural, shorten, words } from "./format.js";

/** messageTypes are the types of messages, as they are shown. */
export const messageTypes: readonly (readonly [MessageType, string])[] = MessageDataSchema.fields
  .filter((field) => field.oneof !== undefined)
  .map((field) => [MessageType[field.name.toUpperCase() as keyof typeof MessageType], words(field.name)] as const)
  .sort(([a], [b]) => a - b);

const labels = new Map(messageTypes);

/** typeLabel returns the type of a message as text: "commit bundle". */
export const typeLabel = (type: MessageType): string => labels.get(type) ?? `type ${type}`;

/** bodyField is the field of a message's data that has its body. */
export function bodyField(message: Message) {
  const name = message.data?.body.case;
  return MessageDataSchema.fields.find((field) => field.localName === name);
}

const ids = ["projectId", "targetProjectId", "sourceProjectId"] as const;

/** projectOf returns the id of the project that a message is about: a new project has the hash of its message. */
export function projectOf(message: Message): Uint8Array | undefined {
  const body = message.data?.body;
  if (body?.case === "projectCreate" || body?.case === "fork") return message.hash;
  const value = body?.value as Partial<Record<string, unknown>> | undefined;
  if (body?.case === "linkAdd" || body?.case === "linkRemove") {
    return body.value.target.case === "targetProjectId" ? body.value.target.value : undefined;
  }
  for (const name of ids) {
    const id = value?.[name];
    if (id instanceof Uint8Array && id.length === 32) return id;
  }
  return undefined;
}

/** detail says in a few words what a message changes. */
export function detail(message: Message): string {
  const body = message.data?.body;
  switch (body?.case) {
    case "projectCreate":
    case "fork":
      return body.value.name;
    case "refUpdate":
      return `${refText(body.value.refName)} to ${shorten(gitId(body.value.newHash))}`;
    case "refDelete":
      return refText(body.value.refName);
    case "commitBundle":
      return `${plural(body.value.commits.length, "commit")}: ${body.value.commits.at(-1)?.title ?? ""}`;
    case "usernameCreate":
    case "usernameUpdate":
      return body.value.username;
    case "mergeRequestAdd":
      return body.value.title;
    case "projectMetadata":
    case "accountData":
      return body.value.value;
    case "storageClaim":
      return plural(body.value.units, "unit");
    case "linkAdd":
    case "linkRemove":
      return words(LinkType[body.value.linkType] ?? "");
    case "collaboratorAdd":
      return words(Permission[body.value.permission] ?? "");
    default:
      return "";
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** refText returns the name of a ref, which need not be UTF-8. */
export const refText = (name: Uint8Array): string => decoder.decode(name);

/** shortRef returns the name of a ref without refs/heads/ or refs/tags/. */
export const shortRef = (name: string): string => name.replace(/^refs\/(heads|tags)\//, "");
