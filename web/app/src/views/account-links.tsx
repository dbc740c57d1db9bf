import { rows } from "makechain";
import type { ComponentChildren } from "preact";
import { AccountLink, Ago, Badge, Empty, More, ProjectLink } from "../components/index.js";
import { useShared } from "../context.js";
import { address as addressText, hex } from "../format.js";
import { Heading } from "../heading.js";
import { type Pages, usePages } from "../load.js";
import type { AccountViewProps } from "./account.js";

/** Stars lists the projects that an account starred. */
export function Stars({ address, name }: AccountViewProps) {
  const { client } = useShared();
  const links = usePages(`starred ${addressText(address)}`, () => client.rows(rows.star, address));
  return <List title="Stars" name={name} of={links} empty="This account starred no projects." row={(link) => [hex(link.project), <ProjectLink id={link.project} />, link.value.timestamp]} />;
}

/** Following lists the accounts that an account follows. */
export function Following({ address, name }: AccountViewProps) {
  const { client } = useShared();
  const links = usePages(`following ${addressText(address)}`, () => client.rows(rows.follow, address));
  return <List title="Following" name={name} of={links} empty="This account follows nobody." row={(link) => [hex(link.target), <AccountLink address={link.target} />, link.value.timestamp]} />;
}

/** Followers lists the accounts that follow an account. */
export function Followers({ address, name }: AccountViewProps) {
  const { client } = useShared();
  const links = usePages(`followers ${addressText(address)}`, () => client.rows(rows.follower, address));
  return <List title="Followers" name={name} of={links} empty="Nobody follows this account." row={(link) => [hex(link.owner), <AccountLink address={link.owner} />, link.value.timestamp]} />;
}

interface ListProps<T> {
  readonly title: string;
  readonly name: string;
  readonly of: Pages<T>;
  readonly empty: string;
  readonly row: (entry: T) => readonly [string, ComponentChildren, number];
}

function List<T>({ title, name, of: pages, empty, row }: ListProps<T>) {
  return (
    <section class="panel" aria-labelledby="tab">
      <div class="panel-head">
        <Heading level={2} title={`${title} of ${name}`}>
          <span id="tab">{title}</span>
        </Heading>
        <Badge of={pages.loaded} />
      </div>
      <div class="panel-body">
        {pages.items.length === 0 && pages.loaded.status === "proven" && <Empty title={empty} />}
        <ul class="plain people">
          {pages.items.map((entry) => {
            const [key, link, time] = row(entry);
            return (
              <li key={key}>
                {link}
                <span class="muted">
                  <Ago time={time} />
                </span>
              </li>
            );
          })}
        </ul>
        <More of={pages} />
      </div>
    </section>
  );
}
