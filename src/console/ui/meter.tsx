import type { Tone } from './status.tsx';

/** A part of a whole as a bar. */
export function Meter({ label, value, max, text, tone: given }: MeterProps) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  const tone: Tone = given ?? (share > 0.9 ? 'bad' : share > 0.75 ? 'warn' : 'good');
  return (
    <div className={`meter tone-${tone}`}>
      <div className="row small">
        <span>{label}</span>
        <span className="spacer" />
        <span className="soft">{text}</span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={text}
        className="meter-track"
      >
        <div className="meter-fill" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
interface MeterProps {
  label: string;
  value: number;
  max: number;
  text: string;
  /** Instead of the tone that says how full it is. */
  tone?: Tone;
}
