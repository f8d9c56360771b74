import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

/** What happens to rows that use a certificate when it is replaced, in the same transaction. */
export interface CertificateHooks {
  /** Locks rows that other changes lock before the certificate. What it returns is called after the replacement. */
  replacing(write: Write<Context>, certificate: Row<'Certificate'>): Promise<() => Promise<void>>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const certificateHooks: CertificateHooks[] = [];
