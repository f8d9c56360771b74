import { z } from 'zod';
import type { LogFilter, LogLine, Logs } from '../../drivers/region/instances.ts';
import { filterOf } from '../../drivers/region/log-filter.ts';

/** Bytes of the lines that are saved of a run. The last ones fit. */
const maxSavedBytes = 64 * 1024;
/** The approximate bytes of a saved line besides its text. */
const lineOverhead = 40;

const savedLog = z.object({
  instance: z.string(),
  container: z.string(),
  isTruncated: z.boolean(),
  /** Times and texts. */
  lines: z.array(z.tuple([z.string().nullable(), z.string()])),
});

/** The last lines of a run as they are saved. Undefined if it has written none. */
export function savedLogOf({ lines, isTruncated }: Logs): string | undefined {
  const [first] = lines;
  if (!first) return undefined;
  let start = lines.length;
  for (let bytes = 0; start > 0; start--) {
    bytes += Buffer.byteLength(lines[start - 1]!.text) + lineOverhead;
    if (bytes > maxSavedBytes) break;
  }
  const saved: z.infer<typeof savedLog> = {
    instance: first.instance,
    container: first.container,
    isTruncated: isTruncated || start > 0,
    lines: lines.slice(start).map(({ at, text }) => [at, text]),
  };
  return JSON.stringify(saved);
}

/** The saved lines that are asked for. They are truncated if others may have been left out. */
export function linesOfSaved(saved: string, { tail, ...filter }: LogFilter & { tail: number }): Logs {
  const { lines, isTruncated, ...from } = savedLog.parse(JSON.parse(saved));
  const matches = lines.map(([at, text]): LogLine => ({ ...from, at, text })).filter(filterOf(filter));
  return { lines: matches.slice(-tail), isTruncated };
}
