import type { GetBlockResponse } from "makechain";
import type { ViewProps } from "../app.js";
import { Ago, Badge, Hash, More, Rows } from "../components/index.js";
import { useShared } from "../context.js";
import { count } from "../format.js";
import { Heading } from "../heading.js";
import { byCursor, usePages } from "../load.js";
import { href } from "../route.js";

/** How many blocks a page of the list has. */
const pageSize = 50;

/** Blocks lists the blocks, newest first. The list is the node's word; each block has a header that is proven. */
export default function Blocks({ route }: ViewProps) {
  const { client } = useShared();
  const from = /^[0-9]{1,15}$/.test(route.query.get("from") ?? "") ? BigInt(route.query.get("from") ?? 0) : 0n;
  const pages = usePages(`blocks ${from}`, (signal) =>
    byCursor(async (cursor) => {
      const page = await client.calls.listBlocks({ start: from, limit: pageSize, cursor }, { signal });
      return { items: page.blocks, nextCursor: page.nextCursor };
    }),
  );
  return (
    <div class="stack">
      <div class="title-row">
        <Heading title="Blocks" />
        <Badge of={pages.loaded} />
      </div>
      {pages.items.length > 0 && <BlockTable blocks={pages.items} />}
      <More of={pages} />
    </div>
  );
}

function BlockTable({ blocks }: { readonly blocks: readonly GetBlockResponse[] }) {
  return (
    <Rows caption="Blocks, newest first" columns={[["Block", "number"], "Hash", ["Messages", "number"], ["State root", "wide"], ["Time", "number"]]}>
      {blocks.map(({ block, executionPayload: payload }) => {
        const number = block?.header?.height?.blockNumber ?? 0n;
        const messages = (payload?.accountMessages.length ?? 0) + (payload?.projectMessages ?? []).reduce((sum, group) => sum + group.messages.length, 0);
        return (
          <tr key={number}>
            <td class="number">
              <a href={href(["block", String(number)])}>{count(number)}</a>
            </td>
            <td>{block !== undefined && <Hash of={block.hash} />}</td>
            <td class="number">{messages === 0 ? <span class="muted">0</span> : count(messages)}</td>
            <td class="wide">
              <Hash of={block?.header?.stateRoot ?? new Uint8Array()} length={16} copy={false} />
            </td>
            <td class="number muted">
              <Ago time={block?.header?.timestamp ?? 0n} />
            </td>
          </tr>
        );
      })}
    </Rows>
  );
}
