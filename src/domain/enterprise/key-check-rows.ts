import type { Database } from '../../db/open.ts';
import type { Seal } from '../../kernel/seal.ts';

/** An encrypted value, by which a gateway finds that it has another key. */
export const keyCheck = (seal: Seal): string => seal.close('trellis');

/**
 * Stores an encrypted value in a database that has none. Of gateways that start at the same time with different keys, the
 * first one stores its own, and the others find that theirs does not decrypt it.
 */
export const storeKeyCheck = (db: Database, seal: Seal): Promise<unknown> =>
  db.transaction((tx) =>
    tx.enterprise.updateMany({
      where: { sealedKeyCheck: null },
      data: { sealedKeyCheck: keyCheck(seal) },
    }),
  );
