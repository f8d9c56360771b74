import type { Field, Row } from '../../../db/tables.ts';
import { type RecordKey, sha256 } from '../../../kernel/record-key.ts';

/** The most events under one seal. */
export const eventsPerSeal = 250;
/** How much of the record is read and hashed at once. */
export const readAtOnce = { events: eventsPerSeal, bytes: 2 ** 20 };

const first = [
  'id',
  'enterpriseId',
  'teamId',
  'at',
  'applicationId',
  'componentId',
  'userId',
  'serviceAccountId',
  'tokenId',
  'sessionId',
  'requestId',
  'action',
  'subjectType',
  'subjectId',
  'changes',
  'manifest',
] as const;

/**
 * The columns of events that a seal of each format covers, in this order. A column that is added later needs a new format,
 * because the seals that exist cover what there was.
 */
const formats = {
  1: first,
  2: [...first, 'deployHookId'],
} as const satisfies { [format: number]: readonly Field<'Event'>[] };

const latestFormat = 2;

export const isFormat = (format: number): format is keyof typeof formats => Object.hasOwn(formats, format);

/** The canonical form of an event: a JSON array of its columns, with times in UTC and milliseconds. */
export function canonicalEvent(event: Row<'Event'>, format: keyof typeof formats = latestFormat): string {
  const fields: readonly Field<'Event'>[] = formats[format];
  return JSON.stringify(fields.map((field) => event[field]));
}

/** The id of an event, and the hash of its canonical form. */
export type Digest = readonly [id: number, hash: string];

export const digestOf = (event: Row<'Event'>, format?: keyof typeof formats): Digest => [
  event.id,
  sha256(canonicalEvent(event, format)),
];

export type Seal = Row<'RecordSeal'>;

/** The text that is hashed and signed. */
export const sealText = (
  seal: Pick<
    Seal,
    | 'format'
    | 'enterpriseId'
    | 'number'
    | 'previousHash'
    | 'firstEventId'
    | 'lastEventId'
    | 'eventCount'
    | 'eventsHash'
    | 'at'
    | 'keyId'
  >,
): string =>
  JSON.stringify([
    'trellis-seal',
    seal.format,
    seal.enterpriseId,
    seal.number,
    seal.previousHash,
    seal.firstEventId,
    seal.lastEventId,
    seal.eventCount,
    seal.eventsHash,
    seal.at,
    seal.keyId,
  ]);

/** The text that is signed when the events under a seal are deleted after their time. */
export const deletionText = ({ enterpriseId, number, hash }: Seal, deletedAt: Date, keyId: string): string =>
  JSON.stringify(['trellis-deletion', enterpriseId, number, hash, deletedAt, keyId]);

/** The text with which a key signs the public part of the one before it. */
export const endorsementText = (
  { id, publicKey }: Pick<RecordKey, 'id' | 'publicKey'>,
  endorsedBy: string,
  retiredAt: Date,
): string => JSON.stringify(['trellis-key', id, publicKey, endorsedBy, retiredAt]);

/** Seals events, which are at least one, in the order of their ids. */
export function sealOf(
  events: readonly Row<'Event'>[],
  previous: Pick<Seal, 'number' | 'hash'> | undefined,
  key: RecordKey,
  format: keyof typeof formats = latestFormat,
): Omit<Seal, 'id'> {
  const digests = JSON.stringify(events.map((event) => digestOf(event, format)));
  const seal = {
    enterpriseId: events[0]!.enterpriseId,
    number: (previous?.number ?? 0) + 1,
    format,
    firstEventId: events[0]!.id,
    lastEventId: events.at(-1)!.id,
    eventCount: events.length,
    digests,
    eventsHash: sha256(digests),
    previousHash: previous?.hash ?? '',
    keyId: key.id,
    at: new Date(),
    deletedAt: null,
    deletionKeyId: null,
    deletionSignature: null,
  };
  const text = sealText(seal);
  return { ...seal, hash: sha256(text), signature: key.sign(text) };
}
