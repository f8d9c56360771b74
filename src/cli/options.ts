import { Failure } from './failure.ts';
import type { PlaceOptions } from './place.ts';

export interface CommonOptions extends PlaceOptions {
  json?: boolean;
  wait?: boolean;
}

/** The value of an option that is a number. */
export function count(option: string, text: string): number;
export function count(option: string, text: string | undefined): number | undefined;
export function count(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Failure(`${option} must be a number.`);
  return Number(text);
}
