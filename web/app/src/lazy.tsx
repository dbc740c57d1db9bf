// Views are loaded when they are opened, so that the first content needs a small script only.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorMessage, Skeleton } from "./components/state.js";

/** lazy returns a component that loads another one when it is shown for the first time, with a skeleton meanwhile. */
export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [, redraw] = useState(0);
    const [error, setError] = useState<Error>();
    const start = () => {
      setError(undefined);
      load().then(
        (module) => {
          loaded = module.default;
          redraw((count) => count + 1);
        },
        (reason: unknown) => setError(reason instanceof Error ? reason : new Error(String(reason))),
      );
    };
    useEffect(() => {
      if (loaded === undefined) start();
    }, []);
    if (loaded !== undefined) {
      const View = loaded;
      return <View {...props} />;
    }
    return error === undefined ? <Skeleton lines={6} /> : <ErrorMessage error={error} retry={start} />;
  };
}
