// Permissions of an account in a project, from the rows of the state (P3, P9.5 to P9.9).

import { fromBinary } from "@bufbuild/protobuf";
import { Permission } from "../gen/makechain/collaborator_pb.js";
import { MergeRequestOutcome } from "../gen/makechain/merge_request_pb.js";
import { MessageType } from "../gen/makechain/message_pb.js";
import {
  CollaboratorRowSchema, MergeRequestRowSchema, ProjectMetadataRowSchema, type ProjectRow, ProjectRowSchema, ProjectStatus,
} from "../gen/makechain/state_pb.js";
import { fromHex, toHex } from "./bytes.js";
import type { Fields } from "./canonical.js";

type Rows = ReadonlyMap<string, string>;

// permissionCode returns the code with which the author of a body is refused in its project, or undefined.
export function permissionCode(type: MessageType, body: Fields, author: string, rows: Rows): string | undefined {
  const id = body["project_id"] as string;
  const inProject = (project: string) => new Project(project, author, rows);
  switch (type) {
    case MessageType.FORK:
      return inProject(body["source_project_id"] as string).needRead();
    case MessageType.PROJECT_REMOVE:
      return inProject(id).needKnown() ?? inProject(id).needOwner();
    case MessageType.PROJECT_ARCHIVE:
      return inProject(id).needActive() ?? inProject(id).needOwner();
    case MessageType.PROJECT_METADATA:
      return inProject(id).needActive() ?? inProject(id).need(metadataPermission(body["field"] as number));
    case MessageType.REF_UPDATE:
    case MessageType.REF_DELETE:
    case MessageType.COMMIT_BUNDLE:
      return inProject(id).needActive() ?? inProject(id).need(Permission.WRITE);
    case MessageType.COLLABORATOR_ADD:
    case MessageType.COLLABORATOR_REMOVE:
      return inProject(id).needActive() ?? inProject(id).need(Permission.ADMIN) ?? inProject(id).needGrant(body);
    case MessageType.MERGE_REQUEST_ADD:
      return (
        inProject(id).needActive() ?? inProject(id).needRead() ?? inProject(body["source_project_id"] as string).needRead() ??
        inProject(id).needReplace(body["replaces"] as string | undefined)
      );
    case MessageType.MERGE_REQUEST_REMOVE:
      return inProject(id).needClose(body["request_id"] as string, (body["outcome"] ?? 0) as MergeRequestOutcome);
    case MessageType.LINK_ADD:
    case MessageType.REACTION_ADD:
      return body["target_project_id"] === undefined ? undefined : inProject(body["target_project_id"] as string).needKnown();
    default:
      return undefined;
  }
}

const nameField = 1;
const visibilityField = 4;
const contentField = 100;

function metadataPermission(field: number): Permission {
  return [nameField, visibilityField, contentField].includes(field) ? Permission.ADMIN : Permission.WRITE;
}

// Project is a project as seen by one author.
class Project {
  private readonly row: ProjectRow | undefined;

  constructor(
    private readonly id: string,
    private readonly author: string,
    private readonly rows: Rows,
  ) {
    const value = rows.get(`0a${id}`);
    this.row = value === undefined ? undefined : fromBinary(ProjectRowSchema, fromHex(value));
  }

  private get isOwner(): boolean {
    return this.row !== undefined && toHex(this.row.ownerAddress) === this.author;
  }

  // held returns the permission of a collaborator, undefined for other accounts.
  private held(account: string): Permission | undefined {
    const value = this.rows.get(`0f${this.id}${account}`);
    return value === undefined ? undefined : fromBinary(CollaboratorRowSchema, fromHex(value)).permission;
  }

  needKnown(): string | undefined {
    if (!this.row) return "unknown_project";
    return this.row.status === ProjectStatus.REMOVED ? "project_removed" : undefined;
  }

  needActive(): string | undefined {
    return this.needKnown() ?? (this.row?.status === ProjectStatus.ARCHIVED ? "project_archived" : undefined);
  }

  needOwner(): string | undefined {
    return this.isOwner ? undefined : "insufficient_permission";
  }

  need(permission: Permission): string | undefined {
    const held = this.isOwner ? Permission.OWNER : this.held(this.author);
    return held !== undefined && held >= permission ? undefined : "insufficient_permission";
  }

  // needRead requires a permission in private projects only.
  needRead(): string | undefined {
    const value = this.rows.get(`0b${this.id}${visibilityField.toString(16).padStart(2, "0")}`);
    const hidden = value !== undefined && fromBinary(ProjectMetadataRowSchema, fromHex(value)).value === "private";
    return this.needKnown() ?? (hidden ? this.need(Permission.READ) : undefined);
  }

  // needGrant allows only the owner to change OWNER entries (P9.7).
  needGrant(body: Fields): string | undefined {
    const held = this.held(body["target_owner_address"] as string);
    const touchesOwner = held === Permission.OWNER || body["permission"] === Permission.OWNER;
    return touchesOwner ? this.needOwner() : undefined;
  }

  // requester returns the account that opened a merge request, undefined if it is not open.
  private requester(request: string): string | undefined {
    const value = this.rows.get(`1b${this.id}${request}`);
    return value === undefined ? undefined : toHex(fromBinary(MergeRequestRowSchema, fromHex(value)).requesterOwnerAddress);
  }

  // needReplace allows only the requester to replace a merge request.
  needReplace(request: string | undefined): string | undefined {
    const requester = request === undefined ? undefined : this.requester(request);
    return requester === undefined || requester === this.author ? undefined : "insufficient_permission";
  }

  // needClose allows the requester, and nobody else, to withdraw at any time, and accounts with WRITE to close (P9.8).
  needClose(request: string, outcome: MergeRequestOutcome): string | undefined {
    if (!this.row) return "unknown_project";
    const requester = this.requester(request);
    if (requester === undefined) return undefined;
    const isRequester = requester === this.author;
    if (outcome === MergeRequestOutcome.WITHDRAWN) return isRequester ? undefined : "insufficient_permission";
    if (outcome === MergeRequestOutcome.UNSPECIFIED && isRequester) return undefined;
    return this.needKnown() ?? this.need(Permission.WRITE);
  }
}
