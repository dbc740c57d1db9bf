import { Badge, Empty, More } from "../components/index.js";
import { MessageTable } from "../components/messages.js";
import { useShared } from "../context.js";
import { address as addressText } from "../format.js";
import { Heading } from "../heading.js";
import { byCursor, usePages } from "../load.js";
import type { NumberedMessage } from "../newest.js";
import type { AccountViewProps } from "./account.js";

const pageSize = 50;

/** AccountActivity lists the messages of an account, newest first. They come from an index: the node's word. */
export default function AccountActivity({ address, name }: AccountViewProps) {
  const { client } = useShared();
  const messages = usePages(`activity ${addressText(address)}`, (signal) =>
    byCursor<NumberedMessage>(async (cursor) => {
      const page = await client.calls.getAccountActivity({ ownerAddress: address, limit: pageSize, cursor }, { signal });
      return { items: page.messages.flatMap(({ message, blockNumber }) => (message === undefined ? [] : [{ message, block: blockNumber }])), nextCursor: page.nextCursor };
    }),
  );
  return (
    <section class="panel" aria-labelledby="tab">
      <div class="panel-head">
        <Heading level={2} title={`Activity of ${name}`}>
          <span id="tab">Activity</span>
        </Heading>
        <Badge of={messages.loaded} />
      </div>
      <div class="panel-body">
        {messages.items.length === 0 && messages.loaded.status === "claimed" && <Empty title="The node has no messages of this account." />}
        {messages.items.length > 0 && <MessageTable caption="Messages of the account, newest first" rows={messages.items} showAccount={false} />}
        <More of={messages} />
      </div>
    </section>
  );
}
