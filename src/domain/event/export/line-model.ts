import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import { jwkOf, type PublicKey } from '../../../kernel/record-key.ts';
import type { RetiredKey } from '../seals/check-model.ts';
import type { Digest, Seal } from '../seals/model.ts';

const time = z.iso.datetime().transform((value) => new Date(value));
const nullableTime = time.nullable();
const text = z.string();
const id = z.int().min(0);

/** The public key that signs now, and those before it, as `/.well-known/trellis-record.json` has them. */
export const recordKeys = z.object({
  keys: z.array(z.object({ kid: text, x: text })).min(1),
  retired: z.array(z.object({ kid: text, x: text, endorsedBy: text, signature: text, retiredAt: time })),
});

export const keysDocument = (current: PublicKey, retired: readonly RetiredKey[]) => ({
  keys: [jwkOf(current)],
  retired: retired.map(({ id: kid, publicKey: x, endorsedBy, signature, retiredAt }) => ({
    ...jwkOf({ id: kid, publicKey: x }),
    endorsedBy,
    signature,
    retiredAt,
  })),
});

/** The keys of such a document. */
export const keysIn = ({ keys, retired }: z.output<typeof recordKeys>) => ({
  current: { id: keys[0]!.kid, publicKey: keys[0]!.x },
  retired: retired.map(({ kid, x, ...key }): RetiredKey => ({ id: kid, publicKey: x, ...key })),
});

export const exportLine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('export'),
    enterprise: z.object({ id: text, name: text }),
    /** Events up to this id are not part of it. */
    after: id,
    at: time,
    ...recordKeys.shape,
  }),
  z.object({
    type: z.literal('seal'),
    enterpriseId: text,
    number: z.int().min(1),
    format: z.int(),
    firstEventId: id,
    lastEventId: id,
    eventCount: id,
    digests: z.array(z.tuple([id, text])).nullable(),
    eventsHash: text,
    previousHash: text,
    hash: text,
    keyId: text,
    signature: text,
    at: time,
    deletedAt: nullableTime,
    deletionKeyId: text.nullable(),
    deletionSignature: text.nullable(),
  }),
  z.object({
    type: z.literal('event'),
    id,
    enterpriseId: text,
    teamId: text.nullable(),
    at: time,
    applicationId: id.nullable(),
    componentId: text.nullable(),
    userId: id.nullable(),
    serviceAccountId: text.nullable(),
    tokenId: text.nullable(),
    sessionId: text.nullable(),
    requestId: text,
    action: text,
    subjectType: text,
    subjectId: text,
    // As it is: a copy could order or drop fields.
    changes: z.custom<object>((value) => typeof value === 'object' && value !== null),
    manifest: text.nullable(),
    // Archived exports of the first format do not have it.
    deployHookId: text.nullable().default(null),
  }),
  z.object({ type: z.literal('end'), lastEventId: id, lastSealedEventId: id, events: id, seals: id }),
]);
type ExportLine = z.output<typeof exportLine>;
type LineOf<T extends ExportLine['type']> = Extract<ExportLine, { type: T }>;

export const lineOfSeal = ({ id: _, digests, ...seal }: Seal) => ({
  type: 'seal',
  ...seal,
  digests: digests === null ? null : JSON.parse(digests),
});

export const lineOfEvent = ({ changes, ...event }: Row<'Event'>) => ({
  type: 'event',
  ...event,
  changes: JSON.parse(changes),
});

export const sealIn = ({ type: _, digests, ...seal }: LineOf<'seal'>): Seal => ({
  id: 0,
  ...seal,
  digests: digests === null ? null : JSON.stringify(digests satisfies Digest[]),
});

export const eventIn = ({ type: _, changes, ...event }: LineOf<'event'>): Row<'Event'> => ({
  ...event,
  changes: JSON.stringify(changes),
});
