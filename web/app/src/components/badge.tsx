// The badge of a value: what is known about its truth. A click shows the steps of the proof.
import type { Evidence, Step } from "makechain";
import { useState } from "preact/hooks";
import { count, hex, plural } from "../format.js";
import type { Loaded } from "../load.js";
import { href } from "../route.js";
import { CopyButton } from "./copy.js";
import { Dialog } from "./dialog.js";
import { Ago } from "./time.js";

interface BadgeProps {
  readonly of: Loaded<unknown>;
  /** Shows the icon only; the text is its accessible name. */
  readonly small?: boolean;
}

const texts = { verifying: "verifying", proven: "proven", claimed: "node's word", invalid: "invalid", failed: "failed" } as const;

const icons = {
  verifying: "M8 2.5a5.5 5.5 0 1 1-5.5 5.5",
  proven: "m3.5 8.5 3 3 6-7",
  claimed: "M3 3.5h10v7H8l-3 2.5v-2.5H3Z",
  invalid: "m4 4 8 8m0-8-8 8",
  failed: "M8 3.5v5.5m0 2.4v1.1",
} as const;

/** Badge shows whether a value is proven, is the node's word, or is invalid. */
export function Badge({ of: loaded, small = false }: BadgeProps) {
  const [open, setOpen] = useState(false);
  const { status } = loaded;
  const step = status === "invalid" ? stepOf(loaded.error) : "";
  const text = step === "" ? texts[status] : `${texts[status]}: ${step}`;
  return (
    <>
      <button type="button" class={small ? "badge badge-small" : "badge"} data-testid="badge" data-status={status} aria-haspopup="dialog" title={small ? text : undefined} onClick={() => setOpen(true)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={icons[status]} />
        </svg>
        <span class={small ? "hidden" : undefined}>{text}</span>
      </button>
      {open && (
        <Dialog title={titles[status]} close={() => setOpen(false)}>
          <Explanation of={loaded} />
        </Dialog>
      )}
    </>
  );
}

const titles = {
  verifying: "The proof is being verified",
  proven: "Proven",
  claimed: "The node's word",
  invalid: "The proof is invalid",
  failed: "The value could not be read",
} as const;

function Explanation({ of: loaded }: { readonly of: Loaded<unknown> }) {
  switch (loaded.status) {
    case "verifying":
      return <p>The value is shown as proven when its proof was verified up to the validators' signatures.</p>;
    case "proven":
      return <Proof evidence={loaded.evidence} />;
    case "claimed":
      return <p>This comes from an index or from the operation of the node. There is no proof for it: the node could show anything here.</p>;
    case "invalid":
      return (
        <>
          <p>The node's answer is not what the validators signed. The value is not shown.</p>
          <Steps steps={passed(loaded.error)} failed={loaded.error.message} />
        </>
      );
    case "failed":
      return <p>{loaded.error.message}</p>;
  }
}

function Proof({ evidence }: { readonly evidence: Evidence }) {
  const { signatures } = evidence;
  const root = hex(evidence.root);
  return (
    <>
      <dl class="facts">
        <dt>Chain</dt>
        <dd>{evidence.chainId}</dd>
        <dt>Block</dt>
        <dd>
          <a href={href(["block", String(evidence.block)])}>{count(evidence.block)}</a>, <Ago time={evidence.time} />
        </dd>
        <dt>Signatures</dt>
        <dd>
          {count(signatures.signed)} of {plural(signatures.validators, "validator")}, {count(signatures.power)} of {count(signatures.totalPower)} voting power
        </dd>
        <dt>State root</dt>
        <dd class="wrap">
          <code>{root}</code> <CopyButton text={root} label="Copy the state root" />
        </dd>
      </dl>
      <Steps steps={evidence.steps} />
    </>
  );
}

function Steps({ steps, failed }: { readonly steps: readonly Step[]; readonly failed?: string }) {
  return (
    <ol class="steps">
      {steps.map((step, index) => (
        <li key={index}>
          <strong>{step.name}</strong> {step.detail}
        </li>
      ))}
      {failed !== undefined && (
        <li class="step-failed">
          <strong>failed</strong> {failed}
        </li>
      )}
    </ol>
  );
}

function stepOf(error: Error): string {
  const step: unknown = (error as { step?: unknown }).step;
  return typeof step === "string" ? step : "";
}

function passed(error: Error): readonly Step[] {
  const steps: unknown = (error as { passed?: unknown }).passed;
  return Array.isArray(steps) ? (steps as Step[]) : [];
}
