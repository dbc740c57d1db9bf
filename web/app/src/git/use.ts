// Loading what the views of code show.
import type { Proven } from "makechain";
import type { Repository } from "makechain/git";
import { useMemo } from "preact/hooks";
import { hex } from "../format.js";
import { type Loaded, useProven } from "../load.js";
import type { ProjectViewProps } from "../project.js";
import { type Access, useAccess } from "./access.js";
import { defaultRef, readRevision, type Revision } from "./repository.js";

/** Opened is the repository of a project view, and the names in its route. */
export interface Opened {
  readonly access: Access;
  readonly repository: Repository;
  /** The name of the revision; empty if the project has no refs. */
  readonly name: string;
  readonly path: readonly string[];
}

/** useOpened returns what the route of a view of code names: a revision, the default one if there is none, and a path. */
export function useOpened({ project, route }: ProjectViewProps): Opened {
  const fork = project.value.forkParent?.sourceProjectId;
  const access = useAccess();
  const repository = useMemo(() => access.repository(project.value.id, ...(fork === undefined ? [] : [fork])), [access, hex(project.value.id), fork === undefined ? "" : hex(fork)]);
  const [name = defaultRef(project.value) ?? "", ...path] = route.path;
  return { access, repository, name, path };
}

/** useRevision loads the revision of a view, and what is computed from it. */
export function useRevision<T>(
  { project }: ProjectViewProps,
  { access, repository, name, path }: Opened,
  key: string,
  read: (revision: Proven<Revision>, signal: AbortSignal) => Promise<Proven<T>>,
): Loaded<T> {
  const at = project.value.refs.find((ref) => ref.name === name)?.value.hash;
  return useProven([key, access.reader, hex(project.value.id), name, at === undefined ? "" : hex(at), ...path].join("\0"), async (signal) =>
    read(await readRevision(access.client, repository, project, name, signal), signal),
  );
}
