// The fields of a message as text, from the schema: no field is left out.
import { type MessageData, MessageDataSchema } from "makechain";
import { address, hex, visible } from "../format.js";
import type { Field } from "./operation.js";

type DescField = (typeof MessageDataSchema)["fields"][number];

const addressLength = 20;
/** shownElements is how many elements of a list are shown: a bundle has up to 1,000 commits. */
const shownElements = 20;

/** fieldsOf returns the fields of a message with their values. Empty fields of the body are shown, too: they are part of what is signed. */
export function fieldsOf(data: MessageData): Field[] {
  const shown: Field[] = [];
  for (const field of MessageDataSchema.fields) {
    if (field.oneof === undefined) shown.push({ name: field.name, value: valueText(field, (data as Record<string, unknown>)[field.localName]) });
  }
  const selected = MessageDataSchema.fields.find((field) => field.localName === data.body.case);
  if (selected?.message === undefined || data.body.value === undefined) return shown;
  return [...shown, ...messageFields(selected, data.body.value as unknown as Record<string, unknown>, "")];
}

function messageFields(parent: DescField, value: Record<string, unknown>, prefix: string): Field[] {
  return (parent.message?.fields ?? []).flatMap((field) => {
    const holder = field.oneof === undefined ? value[field.localName] : selectedValue(value[field.oneof.localName], field.localName);
    const name = prefix + field.name;
    if (field.oneof !== undefined && holder === undefined) return [];
    if (!field.repeated) return [{ name, value: valueText(field, holder) }];
    return listFields(field, name, Array.isArray(holder) ? holder : []);
  });
}

function listFields(field: DescField, name: string, elements: readonly unknown[]): Field[] {
  const rows = elements.slice(0, shownElements).flatMap((element, index): Field[] =>
    field.message === undefined
      ? [{ name: `${name}[${index}]`, value: valueText(field, element) }]
      : messageFields(field, element as Record<string, unknown>, `${name}[${index}].`),
  );
  if (elements.length === 0) return [{ name, value: "none" }];
  return elements.length > shownElements ? [...rows, { name, value: `and ${elements.length - shownElements} more` }] : rows;
}

function selectedValue(oneof: unknown, name: string): unknown {
  const { case: selected, value } = oneof as { case?: string; value?: unknown };
  return selected === name ? value : undefined;
}

/** textFields are fields of bytes that are text: names of refs. */
const textFields = new Set(["ref_name", "source_ref", "target_ref"]);

function valueText(field: DescField, value: unknown): string {
  if (field.enum !== undefined) return field.enum.value[Number(value)]?.localName ?? String(value);
  if (!(value instanceof Uint8Array)) return value === "" || value === undefined ? "empty" : visible(String(value));
  if (value.length === 0) return "empty";
  if (textFields.has(field.name)) return visible(new TextDecoder().decode(value));
  return value.length === addressLength ? address(value) : hex(value);
}
