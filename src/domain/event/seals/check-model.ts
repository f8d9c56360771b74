import type { Row } from '../../../db/tables.ts';
import { isSignedBy, keyIdOf, type PublicKey, sha256 } from '../../../kernel/record-key.ts';
import {
  type Digest,
  deletionText,
  digestOf,
  endorsementText,
  isFormat,
  type Seal,
  sealText,
} from './model.ts';

/** A key that signed seals before, signed by the key that followed it. */
export type RetiredKey = Row<'RecordKey'>;

/** A fault of the record. */
export interface Problem {
  message: string;
  /** The event that was changed, removed or added. Null if a seal is wrong. */
  eventId: number | null;
  sealNumber: number;
}

export interface ChainReport {
  seals: number;
  /** Events that are there and unchanged. */
  events: number;
  /** Events that were deleted after their time. */
  deletedEvents: number;
  /** Events after the last seal. */
  unsealedEvents: number;
  lastSeal: Pick<Seal, 'number' | 'hash' | 'at' | 'lastEventId'> | undefined;
  problem: Problem | undefined;
}

export const newReport = (): ChainReport => ({
  seals: 0,
  events: 0,
  deletedEvents: 0,
  unsealedEvents: 0,
  lastSeal: undefined,
  problem: undefined,
});

/** Adds a seal that was found to be right. */
export function countSeal(report: ChainReport, seal: Seal, events: number): void {
  report.seals++;
  report.lastSeal = seal;
  report.events += events;
  if (seal.deletedAt !== null) report.deletedEvents += seal.eventCount - events;
}

/** The keys that may have signed seals, newest first. Each after the first is signed by one before it. */
export function trustedKeys(current: PublicKey, retired: readonly RetiredKey[]): PublicKey[] {
  const trusted: PublicKey[] = [current];
  for (const by of trusted) {
    for (const key of retired) {
      const isKnown = trusted.some(({ id }) => id === key.id);
      if (isKnown || key.endorsedBy !== by.id || keyIdOf(key.publicKey) !== key.id) continue;
      if (isSignedBy(by.publicKey, endorsementText(key, by.id, key.retiredAt), key.signature))
        trusted.push(key);
    }
  }
  return trusted;
}

/** A unit of the check: a seal with the events in its range. */
export interface Stretch {
  seal: Seal;
  /** The seal before. Undefined if it is not known, as in an export that begins later. */
  previous: Seal | undefined;
  /** The events after the last one of the seal before, up to the last one of this seal, in the order of their ids. */
  events: readonly Row<'Event'>[];
  /** Events up to this id are not part of an export. */
  after: number;
  keys: readonly PublicKey[];
}

/** The first thing that is wrong with a seal and its events. Undefined if nothing is. */
export function problemOf(stretch: Stretch): Problem | undefined {
  const { seal, previous, events, after } = stretch;
  const wrongSeal = problemOfSeal(stretch);
  if (wrongSeal) return { message: wrongSeal, eventId: null, sealNumber: seal.number };
  const wrong = (eventId: number, what: string): Problem => ({
    message: `Event ${eventId} was ${what}. It belongs to seal ${seal.number}.`,
    eventId,
    sealNumber: seal.number,
  });
  const digests = seal.digests === null ? [] : (JSON.parse(seal.digests) as Digest[]);
  const there = new Set(events.map(({ id }) => id));
  // While the events under a seal are deleted, any of them can be missing.
  const expected = digests.filter(([id]) => id > after && (seal.deletedAt === null || there.has(id)));
  for (let index = 0; index < Math.max(events.length, expected.length); index++) {
    const [event, digest] = [events[index], expected[index]];
    if (!digest || (event && event.id < digest[0])) return wrong(event!.id, 'added');
    if (!event || event.id > digest[0]) return wrong(digest[0], 'removed');
    if (isFormat(seal.format) && digestOf(event, seal.format)[1] !== digest[1])
      return wrong(event.id, 'changed');
  }
  if (previous && seal.firstEventId <= previous.lastEventId)
    return {
      message: `Seal ${seal.number} overlaps the one before it.`,
      eventId: null,
      sealNumber: seal.number,
    };
  return undefined;
}

const rangeOf = ({ firstEventId, lastEventId }: Seal) => `events ${firstEventId} to ${lastEventId}`;

/** Why a seal is not what was written. */
function problemOfSeal({ seal, previous, after, keys }: Stretch): string | undefined {
  const name = `Seal ${seal.number} (${rangeOf(seal)})`;
  const number = previous ? previous.number + 1 : after === 0 ? 1 : seal.number;
  if (seal.number !== number)
    return seal.number > number ? `Seal ${number} was removed.` : `${name} was added.`;
  if (!isFormat(seal.format))
    return `${name} has the format ${seal.format}, which this version does not know.`;
  const text = sealText(seal);
  if (sha256(text) !== seal.hash) return `${name} was changed.`;
  const key = keys.findIndex(({ id }) => id === seal.keyId);
  if (key < 0)
    return `${name} is signed with the key ${seal.keyId}, which is not trusted. If the key was rotated, take the current keys.`;
  if (!isSignedBy(keys[key]!.publicKey, text, seal.signature)) return `${name} has a wrong signature.`;
  if (previous && seal.previousHash !== previous.hash)
    return `${name} does not follow seal ${previous.number}.`;
  if (seal.number === 1 && seal.previousHash !== '') return `${name} is the first, and names one before it.`;
  // A key signs nothing more after the next one has begun.
  if (previous && key > keys.findIndex(({ id }) => id === previous.keyId))
    return `${name} is signed with a key that was replaced before.`;
  if (seal.deletedAt !== null) {
    const problem = problemOfDeletion(seal, keys, name);
    if (problem || seal.digests === null) return problem;
  }
  return problemOfDigests(seal, name);
}

function problemOfDigests(
  { digests, eventsHash, eventCount, firstEventId, lastEventId }: Seal,
  name: string,
) {
  if (digests === null || sha256(digests) !== eventsHash)
    return `${name} was changed: its hashes of events differ.`;
  const list = JSON.parse(digests) as Digest[];
  const isWhole =
    list.length === eventCount && list[0]?.[0] === firstEventId && list.at(-1)?.[0] === lastEventId;
  return isWhole ? undefined : `${name} does not fit its hashes of events.`;
}

function problemOfDeletion(seal: Seal, keys: readonly PublicKey[], name: string): string | undefined {
  const key = keys.find(({ id }) => id === seal.deletionKeyId);
  const text = key && deletionText(seal, seal.deletedAt!, key.id);
  return text && isSignedBy(key.publicKey, text, seal.deletionSignature ?? '')
    ? undefined
    : `${name} says that its events were deleted after their time, and has no valid signature of that.`;
}
