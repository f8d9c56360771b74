import { z } from 'zod';

type RemovalDate = `${number}-${number}-${number}`;

/**
 * The reason of a deprecation: what to use instead, or why there is nothing to use, and the first date on which a new minor
 * version may no longer have the field, argument or value.
 */
export const deprecated = (instead: string, from: RemovalDate): string =>
  `${instead} May be removed from ${from}.`;

/** The deprecated fields of inputs, with the arguments of `deprecated`. Other documents that use their zod schemas are not marked. */
export const deprecations = z.registry<{ instead: string; from: RemovalDate }>();
