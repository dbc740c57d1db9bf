import { Permission, rows } from "makechain";
import { AccountLink, Ago, Badge, More } from "../components/index.js";
import { useShared } from "../context.js";
import { hex, words } from "../format.js";
import { Heading } from "../heading.js";
import { usePages } from "../load.js";
import type { ProjectViewProps } from "../project.js";

/** People lists the owner and the collaborators of a project, and who starred it. Both lists are proven. */
export default function People({ project }: ProjectViewProps) {
  const { client } = useShared();
  const { id, row } = project.value;
  const collaborators = usePages(`collaborators ${hex(id)}`, () => client.rows(rows.collaborator, id));
  const stars = usePages(`stargazers ${hex(id)}`, () => client.rows(rows.stargazer, id));
  return (
    <>
      <Heading level={2} title="People" />
      <div class="columns">
        <section class="panel" aria-labelledby="collaborators">
          <div class="panel-head">
            <h3 id="collaborators">Owner and collaborators</h3>
            <Badge of={collaborators.loaded} />
          </div>
          <div class="panel-body">
            <table>
              <caption class="hidden">Owner and collaborators</caption>
              <thead>
                <tr>
                  <th scope="col">Account</th>
                  <th scope="col">May</th>
                  <th scope="col" class="number">
                    Since
                  </th>
                </tr>
              </thead>
              <tbody>
                {row !== undefined && (
                  <tr>
                    <td>
                      <AccountLink address={row.ownerAddress} />
                    </td>
                    <td>own</td>
                    <td class="number muted">
                      <Ago time={row.createdAt} />
                    </td>
                  </tr>
                )}
                {collaborators.items.map(({ owner, value }) => (
                  <tr key={hex(owner)}>
                    <td>
                      <AccountLink address={owner} />
                    </td>
                    <td>{words(Permission[value.permission] ?? String(value.permission))}</td>
                    <td class="number muted">
                      <Ago time={value.timestamp} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <More of={collaborators} />
          </div>
        </section>
        <section class="panel" aria-labelledby="stars">
          <div class="panel-head">
            <h3 id="stars">Stars</h3>
            <Badge of={stars.loaded} />
          </div>
          <div class="panel-body">
            {stars.items.length === 0 && stars.loaded.status === "proven" && <p class="muted">Nobody starred this project yet.</p>}
            <ul class="plain people">
              {stars.items.map(({ owner, value }) => (
                <li key={hex(owner)}>
                  <AccountLink address={owner} />
                  <span class="muted">
                    <Ago time={value.timestamp} />
                  </span>
                </li>
              ))}
            </ul>
            <More of={stars} />
          </div>
        </section>
      </div>
    </>
  );
}
