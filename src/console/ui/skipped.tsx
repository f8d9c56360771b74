import { timing as text } from '../strings/timing.ts';
import { Time } from './time.tsx';

/** The last time at which a schedule has done nothing, and why. */
export function Skipped({ at, reason }: { at: string; reason: string }) {
  return (
    <div className="small">
      {text.skipped} <Time at={at} />: {reason}
    </div>
  );
}
