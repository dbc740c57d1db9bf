import type { Client, ProjectState } from "makechain";
import { useState } from "preact/hooks";
import { CheckField, Form, SelectField, TextField } from "../actions/form.js";
import { importContent, statementFields } from "../actions/import.js";
import { createProject, forkProject } from "../actions/operations.js";
import { lengthFault, limits, projectNameFault } from "../actions/rules.js";
import type { ViewProps } from "../app.js";
import { Badge, Command, Empty, ErrorMessage, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { gitId, shorten } from "../format.js";
import { Heading } from "../heading.js";
import { useProven } from "../load.js";
import { defaultBranch, isUsualBranch, nameOf } from "../actions/project.js";
import { navigate } from "../route.js";
import { type Session, useSession } from "../session/session.js";

/** New creates a project or, with the parameter "fork", a fork of one. */
export default function New({ route }: ViewProps) {
  const { session } = useSession();
  const source = route.query.get("fork") ?? "";
  return (
    <div class="narrow stack">
      <Heading title={source === "" ? "New project" : "Fork a project"} />
      {session === undefined ? (
        <Empty title="Only an account can create a project.">
          <p>
            <a href={`#/signin?next=${encodeURIComponent(location.hash)}`}>Sign in with a passkey</a>, or use the command line:
          </p>
          <Command text={source === "" ? "makechain project create hello" : `makechain project fork ${source}`} />
        </Empty>
      ) : session.name === "" ? (
        <Empty title="Creating a project needs storage and a username.">
          <a href="#/settings">Take a username in your settings</a>
        </Empty>
      ) : source === "" ? (
        <Create session={session} />
      ) : (
        <Fork session={session} source={source} />
      )}
    </div>
  );
}

function Create({ session }: { readonly session: Session }) {
  const { perform } = useSession();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [license, setLicense] = useState("");
  const [isPrivate, setPrivate] = useState(false);
  const descriptionFault = lengthFault(description, limits.description);
  const licenseFault = lengthFault(license, limits.license);
  const submit = async () => {
    if (await perform(createProject(session.name, { name, description, license, isPrivate }))) navigate(["project", session.name, name]);
  };
  return (
    <Form label="Create the project" verb="create-project" fault={projectNameFault(name) || descriptionFault || licenseFault} submit={submit}>
      <NameField owner={session.name} value={name} change={setName} />
      <TextField label="Description" hint="Optional, one sentence." error={descriptionFault} value={description} change={setDescription} />
      <TextField label="License" hint="Optional, an SPDX identifier such as Apache-2.0." error={licenseFault} value={license} change={setLicense} />
      <PrivateField checked={isPrivate} change={setPrivate} />
    </Form>
  );
}

interface NameProps {
  readonly owner: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

function NameField({ owner, value, change }: NameProps) {
  return (
    <TextField
      label="Name"
      hint={`The project is called ${owner}/${value === "" ? "name" : value}.`}
      error={projectNameFault(value)}
      value={value}
      change={change}
      input={{ autocomplete: "off", spellcheck: false, autoCapitalize: "none", maxLength: 100 }}
    />
  );
}

function PrivateField(props: { readonly checked: boolean; readonly change: (checked: boolean) => void }) {
  return <CheckField label="Private: content services give files to collaborators only. Names, commits and titles on the chain stay public." {...props} />;
}

function Fork({ session, source }: { readonly session: Session; readonly source: string }) {
  const { client } = useShared();
  const loaded = useProven(`fork/${source}`, () => readProject(client, source));
  if (loaded.status === "verifying") return <Skeleton lines={6} />;
  if (loaded.status !== "proven") return <ErrorMessage error={"error" in loaded ? loaded.error : new Error("not read")} />;
  return (
    <>
      <p>
        {source} <Badge of={loaded} />
      </p>
      <ForkForm session={session} source={source} project={loaded.value} />
    </>
  );
}

const readProject = async (client: Client, name: string) => client.project((await client.resolveProject(name)).value);

interface ForkProps {
  readonly session: Session;
  readonly source: string;
  readonly project: ProjectState;
}

function ForkForm({ session, source, project }: ForkProps) {
  const { page, client } = useShared();
  const { perform } = useSession();
  const branches = project.refs.filter((ref) => ref.name.startsWith("refs/heads/"));
  const [branch, setBranch] = useState(defaultBranch(project)?.name ?? "");
  const [name, setName] = useState(nameOf(project));
  const [isPrivate, setPrivate] = useState(false);
  const ref = branches.find((each) => each.name === branch);
  if (ref === undefined) return <Empty title="The project has no branch that could be forked yet." />;
  const submit = async () => {
    const operation = forkProject(session.name, {
      source: { id: project.id, name: source },
      commit: ref.value.hash,
      branch,
      isUsualBranch: isUsualBranch(branch),
      name,
      isPrivate,
      statement: statementFields(page, session, "the fork", project.id),
      importContent: (fork, from) => importContent(client, page, session, fork, from),
    });
    if (await perform(operation)) navigate(["project", session.name, name]);
  };
  return (
    <Form label="Fork" verb="fork" fault={projectNameFault(name)} submit={submit}>
      <NameField owner={session.name} value={name} change={setName} />
      <SelectField
        label="Branch"
        hint="The fork starts with this branch."
        value={branch}
        change={setBranch}
        options={branches.map((each) => [each.name, `${each.name.slice("refs/heads/".length)} at ${shorten(gitId(each.value.hash))}`] as const)}
      />
      <PrivateField checked={isPrivate} change={setPrivate} />
    </Form>
  );
}
