// Repositories of projects: which objects views read, and from which proven commit.
import { type Client, type Evidence, type Proven, type ProjectState, rows, withSteps } from "makechain";
import { chainHash, type Commit, isObjectId, objectId, type Repository, type Tag } from "makechain/git";
import { defaultBranch } from "../actions/project.js";

/** How many projects up a fork's commits are looked for. */
const maxForks = 8;

/** Revision is a commit that the chain proves: by a ref, or by itself. */
export interface Revision {
  /** The name in routes: a full ref name, or the id of a commit. */
  readonly name: string;
  /** The name for people: "main", "v1.0", or the beginning of the id. */
  readonly label: string;
  readonly commit: Commit;
  readonly tags: readonly Tag[];
}

/** refLabel shortens refs/heads/main to main. */
export function refLabel(name: string): string {
  return name.replace(/^refs\/(?:heads|tags)\//, "");
}

/** defaultRef returns the name of the ref that is shown first: the default branch, or any ref; undefined without refs. */
export function defaultRef(project: ProjectState): string | undefined {
  return (defaultBranch(project) ?? project.refs[0])?.name;
}

/** readRevision resolves a ref of a proven project, or the id of a commit that the chain has for it or for what it was forked from. */
export async function readRevision(
  client: Client,
  repository: Repository,
  project: Proven<ProjectState>,
  name: string,
  signal: AbortSignal,
): Promise<Proven<Revision>> {
  const ref = project.value.refs.find((candidate) => candidate.name === name);
  if (ref !== undefined) {
    const { commit, tags, steps } = await repository.resolve(ref.value, signal);
    const at = { name: "ref", detail: `${name} is commit ${commit.id}` };
    return { value: { name, label: refLabel(name), commit, tags }, evidence: withSteps(project.evidence, at, ...steps) };
  }
  if (!isObjectId(name)) throw new Error(`The project has no branch or tag "${refLabel(name)}".`);
  const evidence = await commitEvidence(client, project, name);
  const { commit, tags, steps } = await repository.resolve({ hash: chainHash(name) }, signal);
  return { value: { name, label: name.slice(0, 10), commit, tags }, evidence: withSteps(evidence, ...steps) };
}

/** commitEvidence proves that a project, or one that it was forked from, has a commit. */
async function commitEvidence(client: Client, project: Proven<ProjectState>, id: string): Promise<Evidence> {
  const hash = chainHash(id);
  if (project.value.refs.some(({ value }) => objectId(value.hash) === id)) return project.evidence;
  let owner: Uint8Array | undefined = project.value.id;
  for (let i = 0; i < maxForks && owner !== undefined && owner.length > 0; i++) {
    const row = await client.row(rows.commit, owner, hash);
    if (row.value !== undefined) return row.evidence;
    owner = (await client.row(rows.forkParent, owner)).value?.sourceProjectId;
  }
  throw new Error(`The chain does not have commit ${id.slice(0, 12)} in this project.`);
}

/** The size and number of lines of files that are shown without being asked for. */
export const maxShownBytes = 512_000;
export const maxShownLines = 5_000;

/** isBinary reports whether git would treat content as binary: a zero byte near its start. */
export function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, 8000).includes(0);
}

/** decodeText returns content as text: UTF-8, or Latin-1 if it is not UTF-8, so that different content is different text. */
export function decodeText(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return new TextDecoder("latin1").decode(content);
  }
}

const images: Readonly<Record<string, string>> = {
  avif: "image/avif", bmp: "image/bmp", gif: "image/gif", ico: "image/x-icon", jpeg: "image/jpeg", jpg: "image/jpeg", png: "image/png", svg: "image/svg+xml", webp: "image/webp",
};

/** imageType returns the media type of an image by its name. Images are shown with <img> only, in which SVG cannot run scripts. */
export function imageType(name: string): string | undefined {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(images, extension) ? images[extension] : undefined;
}

/** blobUrl returns a URL of content. The caller revokes it. */
export function blobUrl(content: Uint8Array, type: string): string {
  return URL.createObjectURL(new Blob([new Uint8Array(content)], { type }));
}
