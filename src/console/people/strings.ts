import { others } from './strings/others.ts';
import { own } from './strings/own.ts';

/** The texts of people, of what they may do, and of how they sign in. */
export const text = { ...own, ...others } as const;
