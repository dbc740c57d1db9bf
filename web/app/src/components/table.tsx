import type { ComponentChildren } from "preact";

/** Column is the heading of a column, "" for a column of actions, or the heading and a CSS class. */
type Column = string | readonly [string, string];

interface TableProps {
  readonly columns: readonly Column[];
  readonly class?: string;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** Table is a table that scrolls where it is too wide. */
export function Table({ columns, class: name = "", children }: TableProps) {
  return (
    <div class="table-scroll">
      <table class={name}>
        <Head columns={columns} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Rows is a table of rows of the chain, whose columns of class wide are left out where there is little space. */
export function Rows({ caption, columns, class: name = "", children }: TableProps & { readonly caption: string }) {
  return (
    <table class={`rows ${name}`}>
      <caption class="hidden">{caption}</caption>
      <Head columns={columns} />
      <tbody>{children}</tbody>
    </table>
  );
}

function Head({ columns }: Pick<TableProps, "columns">) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const [heading, name = ""] = typeof column === "string" ? [column] : column;
          return (
            <th key={heading} scope="col" class={name}>
              {heading || <span class="hidden">Action</span>}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
