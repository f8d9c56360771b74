import { instanceLimits, type LogLine, type Logs } from '../../instances.ts';
import { sizeOf } from './lines.ts';

/** Keeps the last lines that fit, and whether others were dropped. */
export class LastLines {
  readonly lines: LogLine[] = [];
  isTruncated = false;
  #bytes = 0;

  add(line: LogLine): void {
    this.lines.push(line);
    this.#bytes += sizeOf(line);
    while (this.#bytes > instanceLimits.bytes) {
      this.#bytes -= sizeOf(this.lines.shift()!);
      this.isTruncated = true;
    }
  }
}

const byTime = (one: LogLine, other: LogLine) => {
  const [first, second] = [one.at ?? '', other.at ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
};

/** The last lines by time, as far as they fit. */
export function lastByTime(lines: readonly LogLine[], tail: number): Logs {
  const last = new LastLines();
  for (const line of lines.toSorted(byTime).slice(-tail)) last.add(line);
  return { lines: last.lines, isTruncated: last.isTruncated };
}
