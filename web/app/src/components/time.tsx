import { useEffect, useState } from "preact/hooks";
import { ago } from "../format.js";

/** Ago shows a time relative to now, and the absolute time as its tooltip. It follows the clock once in 10 seconds. */
export function Ago({ time }: { readonly time: number | bigint | Date }) {
  const seconds = time instanceof Date ? time.getTime() / 1000 : Number(time);
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 10_000);
    return () => clearInterval(timer);
  }, []);
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return <span>{seconds}</span>;
  return (
    <time dateTime={moment.toISOString()} title={moment.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" })}>
      {ago(seconds, seconds > now && seconds < now + 60 ? seconds : now)}
    </time>
  );
}
