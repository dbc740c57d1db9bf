import { useEffect, useState } from "preact/hooks";

interface CopyProps {
  readonly text: string;
  /** What the button does, for screen readers and as its tooltip. */
  readonly label?: string;
}

/** CopyButton copies a text to the clipboard, and says that it did. */
export function CopyButton({ text, label = "Copy" }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(() => setCopied(true), () => setCopied(false));
  };
  return (
    <button type="button" class="icon-button copy" title={copied ? "Copied" : label} aria-label={copied ? "Copied" : label} onClick={copy}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {copied ? <path d="m3 8.5 3.2 3.2L13 5" /> : <path d="M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2m-7-5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z" />}
      </svg>
      <span class="hidden" role="status">
        {copied ? "Copied" : ""}
      </span>
    </button>
  );
}
