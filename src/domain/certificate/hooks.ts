import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

/** Hooks for rows that use a certificate, called in the transaction that replaces it. */
export interface CertificateHooks {
  /** Locks rows that other changes lock before the certificate. What it returns is called after the replacement. */
  replacing(write: Write<Context>, certificate: Row<'Certificate'>): Promise<() => Promise<void>>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const certificateHooks: CertificateHooks[] = [];
