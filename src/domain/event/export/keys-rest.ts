import type { Services } from '../../../context.ts';
import { retiredKeys } from '../seals/reads.ts';
import { keysDocument } from './line-model.ts';

export const recordKeysPath = '/.well-known/trellis-record.json';

const verification =
  'keys has the Ed25519 key that signs the seals of the record. retired has the keys before it, each signed by the one that followed: the signature is that of the JSON array ["trellis-key", kid, x, endorsedBy, retiredAt]. Export the record from /api/v1/export-events, and verify it with: npm run verify-record -- --file export.ndjson --key trellis-record.json';

/** The public keys of the record, and how to verify it with them. Others are retired when this gateway signs with another one. */
export function createRecordKeys({ db, seal }: Pick<Services, 'db' | 'seal'>): () => Promise<object> {
  let retired: ReturnType<typeof retiredKeys> | undefined;
  let current = seal.recordKey;
  return async () => {
    if (current !== seal.recordKey) retired = undefined;
    current = seal.recordKey;
    retired ??= retiredKeys(db);
    retired.catch(() => {
      retired = undefined;
    });
    return { ...keysDocument(current, await retired), verification };
  };
}
