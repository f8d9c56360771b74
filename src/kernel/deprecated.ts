import { z } from 'zod';

/**
 * The reason of a deprecation: what to use instead, or why there is nothing to use, and the first date on which a new minor
 * version may no longer have the field, argument or value.
 */
export const deprecated = (instead: string, from: `${number}-${number}-${number}`): string =>
  `${instead} May be removed from ${from}.`;

/** The deprecated fields of inputs. Their zod schemas are not marked, because manifests use them, too. */
export const deprecations = z.registry<{ reason: string }>();
