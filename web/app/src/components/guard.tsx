import { Component, type ComponentChildren } from "preact";
import { ErrorMessage } from "./state.js";

/** Guard shows an error of its children in their place, so that a part that fails does not empty the page. */
export class Guard extends Component<{ readonly children: ComponentChildren }, { error: Error | undefined }> {
  override state = { error: undefined };

  static override getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state as { error: Error | undefined };
    if (error === undefined) return this.props.children;
    return <ErrorMessage error={error} retry={() => this.setState({ error: undefined })} />;
  }
}
