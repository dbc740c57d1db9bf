import { bytesEqual, type Client, type GetProjectResponse, ProofError, rows } from "makechain";
import { Badge, Empty, Hash, More, ProjectLink, Rows } from "../components/index.js";
import { useShared } from "../context.js";
import { count, gitId, hex, visible } from "../format.js";
import { Heading } from "../heading.js";
import { byCursor, usePages, useProven } from "../load.js";
import { inTurn, useProjectName } from "../names.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";

const pageSize = 50;

/** Forks lists the forks of a project. The list is the node's word; that each one is a fork is proven. */
export default function Forks({ project }: ProjectViewProps) {
  const { client } = useShared();
  const { id } = project.value;
  const name = useProjectName(id);
  const forks = usePages(`forks ${hex(id)}`, (signal) =>
    byCursor(async (cursor) => {
      const page = await client.calls.listForks({ projectId: id, limit: pageSize, cursor }, { signal });
      return { items: page.projects, nextCursor: page.nextCursor };
    }),
  );
  return (
    <>
      <div class="title-row">
        <Heading level={2} title="Forks" />
        <Badge of={forks.loaded} />
      </div>
      {forks.items.length === 0 && forks.loaded.status === "claimed" && <Empty title="The node knows no forks of this project." command={`makechain project fork ${name === "" ? hex(id) : name}`} />}
      {forks.items.length > 0 && (
        <Rows caption="Forks of the project" columns={["Fork", "Forked at", ["Description", "wide"], ["Commits", "number"]]}>
          {forks.items.map((fork) => (
            <Fork key={hex(fork.projectId)} client={client} parent={id} fork={fork} />
          ))}
        </Rows>
      )}
      <More of={forks} />
    </>
  );
}

function Fork({ client, parent, fork }: { readonly client: Client; readonly parent: Uint8Array; readonly fork: GetProjectResponse }) {
  const proof = useProven(`fork ${hex(fork.projectId)}`, () => inTurn(() => forkParent(client, fork.projectId, parent)));
  return (
    <tr>
      <td>
        <ProjectLink id={fork.projectId} /> <Badge of={proof} small />
      </td>
      <td>{proof.status === "proven" ? <Hash of={gitId(proof.value)} href={href(["project", hex(parent), "commit", gitId(proof.value)])} copy={false} /> : "…"}</td>
      <td class="wide muted">{visible(fork.description)}</td>
      <td class="number">{count(fork.commitCount)}</td>
    </tr>
  );
}

/** forkParent proves that a project was forked from another one, and returns the commit. */
async function forkParent(client: Client, fork: Uint8Array, parent: Uint8Array) {
  const { value, evidence } = await client.row(rows.forkParent, fork);
  if (value === undefined || !bytesEqual(value.sourceProjectId, parent)) throw new ProofError("fork parent", "the project is not a fork of this one", evidence.steps);
  return { value: value.sourceCommitHash, evidence };
}
