import { Notice } from '../ui/blocks.tsx';
import { text } from './strings.ts';

/** Warns before a database becomes reachable for everybody. */
export function DatabaseWarning({ of }: { of: string | undefined }) {
  return of === undefined ? null : <Notice tone="warn">{text.databaseWarning(of)}</Notice>;
}
