import { instanceLimits, type LogLine } from '../../instances.ts';

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
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    const kept = part.subarray(0, Math.max(0, maxLineBytes - length));
    if (kept.length > 0) parts.push(kept);
    length += kept.length;
  };
  const take = () => {
    const line = lineOf(Buffer.concat(parts));
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield take();
}

/** The approximate overhead of a line in a response. */
export const sizeOf = ({ text }: Pick<LogLine, 'text'>) => Buffer.byteLength(text) + 32;
