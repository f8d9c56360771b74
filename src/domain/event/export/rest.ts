import type { Context, Services } from '../../../context.ts';
import { InvalidInputError } from '../../../kernel/errors.ts';
import type { StreamOperation } from '../../../operations/stream.ts';
import { requireWholeRecord } from '../reads.ts';
import { linesOfExport, startOf } from './reads.ts';

const description = `Streams the record of the enterprise as JSON lines, in the order of the ids of its events, with the seals that prove it. Requires an enterprise administrator.

The first line has the \`type\` \`export\`, and the public keys. A line with the type \`seal\` is followed by its events, of the type \`event\`. Events that are not sealed yet come last. The last line has the type \`end\`; an export without it is not complete. Continue later with \`since\` set to its \`lastSealedEventId\`. \`npm run verify-record -- --file\` verifies what was stored.`;

const example = `${[
  { type: 'export', enterprise: { id: 'c0ffee', name: 'default' }, after: 0, at: '2026-11-25T08:00:00.000Z' },
  { type: 'end', lastEventId: 0, lastSealedEventId: 0, events: 0, seals: 0 },
]
  .map((line) => JSON.stringify(line))
  .join('\n')}\n`;

/** Streams the record of an enterprise, with its seals. */
export const createEventExport = (services: Pick<Services, 'db' | 'seal'>): StreamOperation => ({
  path: 'export-events',
  title: 'Export events',
  description,
  inputSchema: {
    type: 'object',
    properties: {
      since: {
        type: 'string',
        description:
          'Where the export begins: the id of an event, which is not part of it, or a time, such as `2026-11-01T00:00:00Z`. With a time, single events before it can be part of the export. Defaults to all events.',
      },
    },
  },
  line: { schema: { type: 'string' }, example },
  async run(context: Context, { since }) {
    requireWholeRecord(context);
    const start = since === undefined ? 0 : readSince(String(since));
    const { enterpriseId } = context.actor;
    const after = start instanceof Date ? await startOf(services.db, enterpriseId, start) : start;
    const isStillAllowed = async () => (await context.actorNow?.())?.everywhere != null;
    return linesOfExport({ ...services, enterpriseId, after, isStillAllowed });
  },
});

/** The id of an event, or a time. */
function readSince(text: string): number | Date {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return Number(text);
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? new Date(text)
    : undefined;
  if (!time || Number.isNaN(time.getTime()))
    throw new InvalidInputError([
      { path: ['since'], message: 'Must be the id of an event or a time, for example 2026-11-01T00:00:00Z' },
    ]);
  return time;
}
