import { ProjectMetadataType, type RefEntry } from "makechain";
import { Ago, Badge, Empty, Hash } from "../components/index.js";
import { useSlice } from "../components/slice.js";
import { count, gitId, visible } from "../format.js";
import { Heading } from "../heading.js";
import { shortRef } from "../message.js";
import { branches, defaultBranch, metadata, type ProjectViewProps, tags } from "../project.js";
import { href } from "../route.js";

/** Refs lists all branches and tags of a project. The list is proven to be complete. */
export default function Refs({ project, base }: ProjectViewProps) {
  const state = project.value;
  const name = metadata(state, ProjectMetadataType.PROJECT_METADATA_NAME);
  const main = defaultBranch(state)?.name;
  return (
    <>
      <div class="title-row">
        <Heading level={2} title={`Refs of ${name}`}>
          Branches and tags
        </Heading>
        <Badge of={{ status: "proven", ...project }} />
        <a class="button" href={href([...base, "log"])}>
          Ref log
        </a>
      </div>
      {state.refs.length === 0 && <Empty title="This project has no refs." />}
      <Table title="Branches" refs={branches(state)} base={base} main={main} />
      <Table title="Tags" refs={tags(state)} base={base} main={main} />
    </>
  );
}

interface TableProps {
  readonly title: string;
  readonly refs: readonly RefEntry[];
  readonly base: readonly string[];
  readonly main: string | undefined;
}

function Table({ title, refs, base, main }: TableProps) {
  const { shown, more } = useSlice(refs);
  if (refs.length === 0) return null;
  const id = title.toLowerCase();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h3 id={id}>{title}</h3>
        <span class="muted">{count(refs.length)}</span>
      </div>
      <div class="panel-body">
        <table class="rows">
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Commit</th>
              <th scope="col" class="number wide">
                Changes
              </th>
              <th scope="col" class="number">
                Updated
              </th>
              <th scope="col" class="number">
                <span class="hidden">Log</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, value }) => (
              <tr key={name}>
                <td class="wrap">
                  <a href={href([...base, "tree", name])}>{visible(shortRef(name))}</a> {name === main && <span class="tag">default</span>}
                </td>
                <td>
                  <Hash of={gitId(value.hash)} href={href([...base, "commit", gitId(value.hash)])} />
                </td>
                <td class="number wide">{count(value.nonce)}</td>
                <td class="number muted">
                  <Ago time={value.timestamp} />
                </td>
                <td class="number">
                  <a href={href([...base, "log"], { ref: name })} aria-label={`Log of ${shortRef(name)}`}>
                    Log
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {more}
      </div>
    </section>
  );
}
