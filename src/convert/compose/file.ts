import type { Grade } from '../claims.ts';

// biome-ignore lint/suspicious/noExplicitAny: a Compose file is data of somebody else, and each key is checked where it is read
export type Yaml = any;

/** Notes what of a service is not taken over as it is. */
export type Leave = (grade: Grade, key: string, reason: string, detail?: string) => void;

export const isObject = (value: Yaml): value is Record<string, Yaml> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const list = (value: Yaml): Yaml[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

export const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'app';
