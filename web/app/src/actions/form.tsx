// Inputs with labels, hints and errors that belong to them.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  /** What the value must be, shown below the input. */
  readonly hint?: string | undefined;
  /** Why the value is not accepted; empty while it is. */
  readonly error?: string | undefined;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly multiline?: boolean;
  readonly input?: { readonly maxLength?: number; readonly autocomplete?: "name" | "off" | "url" | "username"; readonly spellcheck?: boolean; readonly autoCapitalize?: "none" };
}

/** TextField is an input of text. */
export function TextField({ label, hint, error = "", value, change, multiline = false, input }: FieldProps) {
  const id = useId();
  const [left, setLeft] = useState(false);
  const shown = left ? error : "";
  const describedBy = [hint === undefined ? "" : `${id}-hint`, shown === "" ? "" : `${id}-error`].join(" ").trim();
  const common = {
    id,
    value,
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    "aria-invalid": shown === "" ? undefined : true,
    onBlur: () => setLeft(true),
    onInput: (event: Event) => change((event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {multiline ? <textarea rows={3} {...common} /> : <input type="text" {...input} {...common} />}
      {hint !== undefined && <p class="hint" id={`${id}-hint`}>{hint}</p>}
      {shown !== "" && <p class="field-error" id={`${id}-error`} role="alert">{shown}</p>}
    </div>
  );
}

interface SelectProps<T extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly value: T;
  readonly change: (value: T) => void;
  readonly options: readonly (readonly [value: T, text: string])[];
}

/** SelectField is a choice of one of several values. */
export function SelectField<T extends string>({ label, hint, value, change, options }: SelectProps<T>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => {
          const selected = options.find(([each]) => each === event.currentTarget.value);
          if (selected !== undefined) change(selected[0]);
        }}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly change: (checked: boolean) => void;
}

/** CheckField is a choice of yes or no. */
export function CheckField({ label, checked, change }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => change(event.currentTarget.checked)} /> {label}
    </label>
  );
}

interface FormProps {
  readonly submit: () => void | Promise<unknown>;
  readonly label: string;
  readonly verb: string;
  /** Why it cannot be submitted; empty when it can. */
  readonly fault?: string;
  readonly danger?: boolean;
  readonly children?: ComponentChildren;
}

/** Form is a form with one button, whose name in tests is "action-" and the verb. */
export function Form({ submit, label, verb, fault = "", danger = false, children }: FormProps) {
  const [tried, setTried] = useState(false);
  const send = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (fault !== "") return;
    setTried(false);
    void submit();
  };
  return (
    <form class="form" onSubmit={send} noValidate>
      {children}
      {tried && fault !== "" && <p class="field-error" role="alert">{fault}</p>}
      <div class="buttons">
        <button type="submit" class={danger ? "danger" : "primary"} data-testid={`action-${verb}`}>
          {label}
        </button>
      </div>
    </form>
  );
}
