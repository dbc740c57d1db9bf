// Access to content: which objects the account that is signed in may read, and the statements that show it to the content service.
import { type Client, ProjectMetadataType, rows } from "makechain";
import { ContentError, firstOf, type ObjectSource, ObjectStore, Repository } from "makechain/git";
import { useShared } from "../context.js";
import { hex } from "../format.js";
import type { Page } from "../page.js";
import { type Session, useSession } from "../session/session.js";

/** How many object stores are kept: each has a cache of its own. */
const maxStores = 4;

/** How long a statement is used, in seconds. A content service accepts it for 300, and clocks differ. */
const statementSeconds = 120;

/** Statement is what a statement for a content service authorizes (docs/content.md). */
export interface Statement {
  readonly purpose: "read" | "import";
  readonly project: Uint8Array;
  /** The source of an import. */
  readonly source?: Uint8Array;
}

/** authorize returns the Authorization header with a statement of the delegated key, which is issued now. */
export async function authorize(page: Page, session: Session, { purpose, project, source }: Statement, issued = now()): Promise<string> {
  const lines = ["makechain/content/v1", session.chainId, purpose, page.content_host.toLowerCase(), hex(project), source === undefined ? "-" : hex(source), "0", String(issued), ""];
  const signature = await session.signer.sign(new TextEncoder().encode(lines.join("\n")));
  return `Makechain ${hex(session.signer.publicKey)} ${issued} ${hex(signature)}`;
}

const now = () => Math.floor(Date.now() / 1000);

/** Access reads content for one session, or for nobody. What it has read is forgotten with the session. */
export class Access {
  /** Tells readers apart: what was loaded for one is loaded again for another. */
  readonly reader: string;
  readonly #stores = new Map<string, ObjectStore>();
  readonly #statements = new Map<string, { readonly issued: number; readonly header: Promise<string> }>();

  constructor(
    readonly client: Client,
    private readonly page: Page,
    private readonly session: Session | undefined,
  ) {
    this.reader = session === undefined ? "" : hex(session.account);
  }

  /** isPrivate reports whether a project is private, which is proven. */
  async isPrivate(project: Uint8Array): Promise<boolean> {
    return (await this.client.row(rows.projectMetadata, project, ProjectMetadataType.PROJECT_METADATA_VISIBILITY)).value?.value === "private";
  }

  /**
   * authorization returns the header for reading a project: a statement if it is private and an account is signed in. It is for the origin
   * of the page only.
   */
  async authorization(project: Uint8Array): Promise<string | undefined> {
    const { session, client, page } = this;
    if (session === undefined || new URL(client.url).origin !== location.origin) return undefined;
    const id = hex(project);
    const last = this.#statements.get(id);
    if (last !== undefined && Math.abs(now() - last.issued) < statementSeconds) return last.header;
    if (!(await this.isPrivate(project))) return undefined;
    const issued = now();
    const header = authorize(page, session, { purpose: "read", project }, issued);
    this.#statements.set(id, { issued, header });
    return header;
  }

  /** get requests a route of the content service about a project. Redirects are not followed. */
  async get(project: Uint8Array, route: string, init: { readonly method?: "HEAD"; readonly signal: AbortSignal }): Promise<Response> {
    const authorization = await this.authorization(project);
    const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
    return fetch(`${this.client.url}/v1/content/${hex(project)}/${route}`, { ...init, headers, credentials: "omit", redirect: "error" });
  }

  /** repository returns the repository of a project. Objects that it lacks are read from the other projects. */
  repository(...projects: readonly Uint8Array[]): Repository {
    return new Repository(firstOf(...projects.map((project) => this.#source(project))));
  }

  #source(project: Uint8Array): ObjectSource {
    const store = this.#store(project);
    return {
      get: async (id, signal) => {
        try {
          return await store.get(id, signal);
        } catch (error) {
          if (error instanceof ContentError && error.status === 404 && (await this.isPrivate(project))) throw new ContentError(this.#hidden(), 404);
          throw error;
        }
      },
    };
  }

  #hidden(): string {
    const who = this.session === undefined ? "Sign in with an account that may read it" : "Your account may not read it, or the node does not have the object";
    return `Not found or private: the files of this project are for its collaborators only. ${who}.`;
  }

  #store(project: Uint8Array): ObjectStore {
    const id = hex(project);
    const store = this.#stores.get(id) ?? new ObjectStore(this.client.url, id, { authorization: () => this.authorization(project) });
    this.#stores.delete(id);
    this.#stores.set(id, store);
    for (const oldest of this.#stores.keys()) if (this.#stores.size > maxStores) this.#stores.delete(oldest);
    return store;
  }
}

const accesses = new WeakMap<object, Access>();

/** useAccess returns the access of the account that is signed in, or of nobody. */
export function useAccess(): Access {
  const { client, page } = useShared();
  const { session } = useSession();
  const holder = session ?? client;
  const access = accesses.get(holder) ?? new Access(client, page, session);
  accesses.set(holder, access);
  return access;
}
