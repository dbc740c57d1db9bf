import { rows } from "makechain";
import { Ago, Badge, Empty, ErrorMessage, Hash, More, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { address as addressText, count, hex } from "../format.js";
import { Heading } from "../heading.js";
import { usePages, useProven } from "../load.js";
import type { AccountViewProps } from "./account.js";

/** AccountStorage shows the storage of an account, proven from all its grants, and what it may use with it. */
export default function AccountStorage({ address, name, row }: AccountViewProps) {
  const { client } = useShared();
  const owner = addressText(address);
  const quota = useProven(`quota ${owner}`, () => client.quota(address));
  const grants = usePages(`grants ${owner}`, () => client.rows(rows.storageGrant, address));
  const limits =
    quota.status === "proven"
      ? ([
          ["Projects", row?.projectCount, quota.value.maxProjects],
          ["Merge requests of the account", row?.mergeRequestCount, quota.value.maxMergeRequestsPerRequester],
          ["Links", undefined, quota.value.maxLinks],
          ["Reactions", undefined, quota.value.maxReactions],
          ["Verifications", undefined, quota.value.maxVerifications],
          ["Collaborators of a project", undefined, quota.value.maxCollaboratorsPerProject],
          ["Merge requests of a project", undefined, quota.value.maxMergeRequestsPerProject],
        ] as const)
      : [];
  return (
    <div class="stack">
      <Heading level={2} title={`Storage of ${name}`}>
        Storage
      </Heading>
      <div class="columns">
        <section class="panel" aria-labelledby="quota">
          <div class="panel-head">
            <h3 id="quota">Quota</h3>
            <Badge of={quota} />
          </div>
          <div class="panel-body">
            {quota.status === "verifying" && <Skeleton lines={9} />}
            {(quota.status === "invalid" || quota.status === "failed") && <ErrorMessage error={quota.error} />}
            {quota.status === "proven" && (
              <dl class="facts">
                <dt>Storage units</dt>
                <dd>{count(quota.value.storageUnits)}</dd>
                <dt>Usable</dt>
                <dd>
                  {count(quota.value.usableStorageUnits)}
                  {quota.value.usableStorageUnits < quota.value.storageUnits && <span class="muted">, none without a username</span>}
                </dd>
                {limits.map(([label, used, limit]) => (
                  <>
                    <dt>{label}</dt>
                    <dd>
                      {used !== undefined && `${count(used)} of `}
                      {count(limit)}
                    </dd>
                  </>
                ))}
              </dl>
            )}
          </div>
        </section>
        <section class="panel" aria-labelledby="grants">
          <div class="panel-head">
            <h3 id="grants">Grants</h3>
            <Badge of={grants.loaded} />
          </div>
          <div class="panel-body">
            {grants.items.length === 0 && grants.loaded.status === "proven" && <Empty title="This account has no storage." command="makechain account create" />}
            {grants.items.length > 0 && (
              <table>
                <caption class="hidden">Storage grants</caption>
                <thead>
                  <tr>
                    <th scope="col">Units</th>
                    <th scope="col">Claim</th>
                    <th scope="col" class="number">
                      Expires
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {grants.items.map(({ claim, expiresAt, value }) => (
                    <tr key={hex(claim)}>
                      <td>{count(value.units)}</td>
                      <td>
                        <Hash of={claim} />
                      </td>
                      <td class="number muted">
                        <Ago time={expiresAt} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            <More of={grants} />
          </div>
        </section>
      </div>
    </div>
  );
}
