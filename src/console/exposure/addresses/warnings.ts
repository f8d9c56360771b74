import type { Tone } from '../../ui/status.tsx';
import { validityOf } from '../certificates/expiry.tsx';
import { databaseOf } from '../databases.ts';
import { text } from '../strings.ts';

interface Exposed {
  /** The scheme of an HTTP rule, or the protocol of the port of a TCP rule. */
  protocol: string;
  /** Absent for TCP rules. */
  certificate?: { expiresAt: string } | null;
  port: Parameters<typeof databaseOf>[0];
}

export interface Warning {
  tone: Tone;
  text: string;
}

/** The dangers of an address, besides the end of its certificate. */
export function warningsOf({ protocol, certificate, port }: Exposed): Warning[] {
  const database = databaseOf(port);
  return [
    ...(database ? [{ tone: 'bad' as const, text: text.database(database) }] : []),
    ...(certificate !== undefined && protocol === 'http'
      ? [{ tone: 'warn' as const, text: text.unencrypted }]
      : []),
  ];
}

/** Whether there is a warning about the address or its certificate. */
export const isWarned = (rule: Exposed) =>
  warningsOf(rule).length > 0 ||
  Boolean(rule.certificate && validityOf(rule.certificate.expiresAt) !== 'valid');
