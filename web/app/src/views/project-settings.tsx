import { Permission, ProjectMetadataType, type ProjectState, ProjectStatus, rows } from "makechain";
import { useState } from "preact/hooks";
import { Form, SelectField, TextField } from "../actions/form.js";
import { addCollaborator, archiveProject, type Change, editProject, type Named, removeBranch, removeCollaborator, removeProject } from "../actions/operations.js";
import { nameOf, permissionOf } from "../actions/project.js";
import { lengthFault, limits, projectNameFault } from "../actions/rules.js";
import { AccountLink, Ago, Badge, Empty, ErrorMessage, More, Skeleton, Table } from "../components/index.js";
import { useShared } from "../context.js";
import { address, hex, visible, words } from "../format.js";
import { Heading } from "../heading.js";
import { usePages, useProven } from "../load.js";
import type { ProjectViewProps } from "../project.js";
import { useSession } from "../session/session.js";

/** ProjectSettings changes a project: its texts, collaborators and branches. */
export default function ProjectSettings({ project, base }: ProjectViewProps) {
  const { client } = useShared();
  const { session, changes } = useSession();
  const account = session?.account;
  // The project was read when the view was opened; after a change it is read again, so that forms start from what the chain has now.
  const state = useProven(`settings/${hex(project.value.id)}/${changes}`, () => client.project(project.value.id));
  const permission = useProven(`permission/${hex(project.value.id)}/${account === undefined ? "" : hex(account)}/${changes}`, async () => {
    const root = await client.certify();
    return { value: account === undefined ? undefined : await permissionOf(client, project.value, account), evidence: root.evidence };
  });
  const named = { id: project.value.id, name: base.slice(1).join("/") };
  return (
    <div class="stack">
      <div class="title-row">
        <Heading level={2} title="Settings" />
        <Badge of={state} />
      </div>
      {account === undefined ? (
        <Empty title="Only collaborators can change a project.">
          <a href={`#/signin?next=${encodeURIComponent(location.hash)}`}>Sign in with a passkey</a>
        </Empty>
      ) : state.status === "verifying" || permission.status === "verifying" ? (
        <Skeleton lines={10} />
      ) : state.status !== "proven" || permission.status !== "proven" ? (
        <ErrorMessage error={"error" in state ? state.error : "error" in permission ? permission.error : new Error("not read")} />
      ) : (
        <Sections key={changes} project={state.value} named={named} permission={permission.value} />
      )}
    </div>
  );
}

interface SectionProps {
  readonly project: ProjectState;
  readonly named: Named;
}

function Sections({ project, named, permission }: SectionProps & { readonly permission: Permission | undefined }) {
  const status = project.row?.status;
  if (permission === undefined || permission < Permission.WRITE) return <Empty title="Your account has no permission to change this project. Ask an admin or the owner of the project." />;
  const isAdmin = permission >= Permission.ADMIN;
  return (
    <>
      {status === ProjectStatus.ARCHIVED && <p class="notice">The project is archived, which cannot be undone. Fork it to continue.</p>}
      {status === ProjectStatus.ACTIVE && (
        <>
          <About project={project} named={named} isAdmin={isAdmin} />
          {isAdmin && <Collaborators project={project} named={named} />}
          <Branches project={project} named={named} />
        </>
      )}
      {permission === Permission.OWNER && status !== ProjectStatus.REMOVED && <Ending project={project} named={named} />}
    </>
  );
}

const fields = {
  name: ProjectMetadataType.PROJECT_METADATA_NAME,
  description: ProjectMetadataType.PROJECT_METADATA_DESCRIPTION,
  license: ProjectMetadataType.PROJECT_METADATA_LICENSE,
  visibility: ProjectMetadataType.PROJECT_METADATA_VISIBILITY,
  "default branch": ProjectMetadataType.PROJECT_METADATA_DEFAULT_BRANCH,
  "content stores": ProjectMetadataType.PROJECT_METADATA_CONTENT,
} as const;

type FieldName = keyof typeof fields;

function About({ project, named, isAdmin }: SectionProps & { readonly isAdmin: boolean }) {
  const { perform } = useSession();
  const before = (field: FieldName) => project.metadata.get(fields[field]) ?? (field === "visibility" ? "public" : "");
  const [values, setValues] = useState<Partial<Record<FieldName, string>>>({});
  const value = (field: FieldName) => values[field] ?? before(field);
  const set = (field: FieldName) => (text: string) => setValues((current) => ({ ...current, [field]: text }));
  const faults: Partial<Record<FieldName, string>> = {
    name: projectNameFault(value("name")),
    description: lengthFault(value("description"), limits.description),
    license: lengthFault(value("license"), limits.license),
    "content stores": lengthFault(value("content stores"), limits.content),
  };
  const changes = (Object.keys(fields) as FieldName[]).flatMap((field): Change[] =>
    value(field) === before(field) ? [] : [{ field: fields[field], words: field, value: value(field) }],
  );
  const fault = Object.values(faults).find((each) => each !== "") ?? (changes.length === 0 ? "Nothing has changed." : "");
  const submit = async () => {
    const renamed = value("name") !== before("name");
    if ((await perform(editProject(named, changes))) && renamed) location.hash = `#/project/${hex(project.id)}/settings`;
  };
  const branches = project.refs.filter((ref) => ref.name.startsWith("refs/heads/")).map((ref) => [ref.name, visible(ref.name.slice(11))] as const);
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>About</h3>
      </div>
      <div class="panel-body">
        <Form label="Save" verb="save-project" fault={fault} submit={submit}>
          <TextField label="Description" error={faults.description} value={value("description")} change={set("description")} multiline />
          <TextField label="License" error={faults.license} value={value("license")} change={set("license")} />
          <SelectField label="Default branch" value={value("default branch")} change={set("default branch")} options={[["", "main, master or the first"], ...branches]} />
          {isAdmin && (
            <>
              <TextField label="Name" error={faults.name} value={value("name")} change={set("name")} input={{ spellcheck: false, autocomplete: "off" }} />
              <SelectField label="Visibility" value={value("visibility")} change={set("visibility")} options={[["public", "Public"], ["private", "Private: files for collaborators only"]]} />
              <TextField label="Content stores" hint="Base URLs where clones find the files, one in a line. Optional." error={faults["content stores"]} value={value("content stores")} change={set("content stores")} multiline />
            </>
          )}
        </Form>
      </div>
    </section>
  );
}

const permissions = [
  ["WRITE", "Write: push, merge"],
  ["READ", "Read: of a private project"],
  ["ADMIN", "Admin: collaborators, name, visibility"],
] as const;

function Collaborators({ project, named }: SectionProps) {
  const { client } = useShared();
  const { changes, perform } = useSession();
  const pages = usePages(`collaborators/${hex(project.id)}/${changes}`, () => client.rows(rows.collaborator, project.id));
  const [name, setName] = useState("");
  const [permission, setPermission] = useState<(typeof permissions)[number][0]>("WRITE");
  const [error, setError] = useState<Error>();
  const add = async () => {
    setError(undefined);
    try {
      const account = { id: (await client.resolveAccount(name.trim())).value, name: name.trim() };
      if (await perform(addCollaborator(named, account, Permission[permission]))) setName("");
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  };
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>Collaborators</h3>
        <Badge of={pages.loaded} />
      </div>
      <div class="panel-body stack">
        {pages.items.length > 0 && (
          <Table columns={["Account", "Permission", "Since", ""]}>
            {pages.items.map(({ owner, value }) => (
              <tr key={hex(owner)} data-testid="collaborator">
                <th scope="row">
                  <AccountLink address={owner} />
                </th>
                <td>{words(Permission[value.permission] ?? "")}</td>
                <td>
                  <Ago time={value.timestamp} />
                </td>
                <td>
                  <button type="button" class="danger" data-testid="action-remove-collaborator" aria-label={`Remove ${address(owner).slice(0, 10)}`} onClick={() => void perform(removeCollaborator(named, { id: owner, name: address(owner) }))}>
                    Remove
                  </button>
                </td>
              </tr>
            ))}
          </Table>
        )}
        <More of={pages} />
        <Form label="Add the collaborator" verb="add-collaborator" fault={name.trim() === "" ? "Enter a username or an address." : ""} submit={add}>
          <TextField label="Account" hint="A username, or an address." value={name} change={setName} input={{ spellcheck: false, autocomplete: "off", autoCapitalize: "none" }} />
          <SelectField label="Permission" value={permission} change={setPermission} options={permissions} />
        </Form>
        {error !== undefined && <ErrorMessage error={error} />}
      </div>
    </section>
  );
}

/** shownRefs is how many branches and tags are listed: a project has up to 5,000. */
const shownRefs = 200;

function Branches({ project, named }: SectionProps) {
  const { perform } = useSession();
  if (project.refs.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>Branches and tags</h3>
      </div>
      <ul class="plain panel-body rows">
        {project.refs.slice(0, shownRefs).map(({ name, value }) => (
          <li key={name}>
            <code class="wrap">{visible(name)}</code>
            <button type="button" class="danger" data-testid="action-remove-branch" aria-label={`Remove ${name}`} onClick={() => void perform(removeBranch(named, { name, hash: value.hash, nonce: value.nonce }))}>
              Remove
            </button>
          </li>
        ))}
        {project.refs.length > shownRefs && <li class="muted">and {project.refs.length - shownRefs} more: remove them with “git push --delete”.</li>}
      </ul>
    </section>
  );
}

/** Ending archives or removes a project, after its name was typed. */
function Ending({ project, named }: SectionProps) {
  const { perform } = useSession();
  const [typed, setTyped] = useState("");
  const name = nameOf(project);
  const fault = typed === name ? "" : `Type ${name} to confirm.`;
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>End the project</h3>
      </div>
      <div class="panel-body stack">
        <p>An archived project can be read, but never changed again. A removed project is deleted. Neither can be undone.</p>
        <TextField label={`Type ${name} to confirm`} value={typed} change={setTyped} input={{ autocomplete: "off", spellcheck: false }} />
        <div class="buttons">
          {project.row?.status === ProjectStatus.ACTIVE && (
            <button type="button" class="danger" data-testid="action-archive" disabled={fault !== ""} onClick={() => void perform(archiveProject(named))}>
              Archive
            </button>
          )}
          <button type="button" class="danger" data-testid="action-remove-project" disabled={fault !== ""} onClick={() => void perform(removeProject(named))}>
            Remove
          </button>
        </div>
      </div>
    </section>
  );
}
