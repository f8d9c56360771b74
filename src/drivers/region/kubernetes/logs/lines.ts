import { linesIn } from '../../../../kernel/lines.ts';
import { instanceLimits, type LogLine, type Logs } from '../../instances.ts';

type Written = Pick<LogLine, 'at' | 'text'>;

/** The time of a line, which nodes write with their own offset and precision. */
function timeOf(text: string): string | null {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (!match) return null;
  const [, seconds, fraction = '', zone] = match;
  const time = new Date(`${seconds}${zone}`);
  if (Number.isNaN(time.getTime())) return null;
  return `${time.toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}Z`;
}

/** A time is written before each line. */
const maxTimeLength = 40;

function lineOf(bytes: Buffer): Written {
  const end = bytes.subarray(0, maxTimeLength).indexOf(' ');
  const at = timeOf(bytes.toString('latin1', 0, end < 0 ? maxTimeLength : end).trimEnd());
  const rest = at === null ? bytes : bytes.subarray(end < 0 ? bytes.length : end + 1);
  return { at, text: rest.toString('utf8', 0, instanceLimits.lineBytes).replace(/\r$/, '') };
}

const maxLineBytes = instanceLimits.lineBytes + maxTimeLength;

/** The lines of a log with times. The rest of a line that is too long is dropped. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Written> {
  for await (const bytes of linesIn(chunks, maxLineBytes)) yield lineOf(bytes);
}

/** The approximate overhead of a line in a response. */
export const sizeOf = ({ text }: Pick<LogLine, 'text'>) => Buffer.byteLength(text) + 32;

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
