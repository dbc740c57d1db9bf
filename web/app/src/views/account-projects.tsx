import { type Client, ProjectMetadataType, ProjectStatus, rows } from "makechain";
import { Badge, Empty, More, ProjectLink } from "../components/index.js";
import { useShared } from "../context.js";
import { address as addressText, hex, plural, visible } from "../format.js";
import { Heading } from "../heading.js";
import { usePages, useProven } from "../load.js";
import { inTurn } from "../names.js";
import type { AccountViewProps } from "./account.js";

/** AccountProjects lists the projects of an account by their names. The list is proven to be complete. */
export default function AccountProjects({ address, name }: AccountViewProps) {
  const { client } = useShared();
  const owner = name === "" ? addressText(address).slice(0, 10) : name;
  const projects = usePages(`projects ${addressText(address)}`, () => client.rows(rows.projectName, address));
  return (
    <section class="panel" aria-labelledby="tab">
      <div class="panel-head">
        <Heading level={2} title={`Projects of ${owner}`}>
          <span id="tab">Projects</span>
        </Heading>
        <Badge of={projects.loaded} />
      </div>
      {projects.items.length === 0 && projects.loaded.status === "proven" && <Empty title="This account has no projects." command="makechain project create hello" />}
      <ul class="plain cards">
        {projects.items.map((entry) => (
          <Project key={hex(entry.value.projectId)} client={client} id={entry.value.projectId} name={`${owner}/${visible(entry.name)}`} />
        ))}
      </ul>
      <div class="panel-more">
        <More of={projects} />
      </div>
    </section>
  );
}

function Project({ client, id, name }: { readonly client: Client; readonly id: Uint8Array; readonly name: string }) {
  const project = useProven(`project ${hex(id)}`, () =>
    inTurn(async () => {
      const [row, description] = await Promise.all([client.row(rows.project, id), client.row(rows.projectMetadata, id, ProjectMetadataType.PROJECT_METADATA_DESCRIPTION)]);
      return { value: { row: row.value, description: description.value?.value ?? "" }, evidence: row.evidence };
    }),
  );
  const row = project.status === "proven" ? project.value.row : undefined;
  const description = project.status === "proven" ? project.value.description : "";
  return (
    <li>
      <p>
        <ProjectLink id={id} name={name} /> {row?.status === ProjectStatus.ARCHIVED && <span class="tag tag-warn">archived</span>}
        {row !== undefined && row.forkSource.length > 0 && <span class="tag">fork</span>} <Badge of={project} small />
      </p>
      <p class="muted clamp">{project.status === "proven" ? visible(description) || "No description" : " "}</p>
      <p class="muted small">{row === undefined ? " " : `${plural(row.commitCount, "commit")}, ${plural(row.refCount, "ref")}`}</p>
    </li>
  );
}
