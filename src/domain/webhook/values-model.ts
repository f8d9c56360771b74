import { randomBytes } from 'node:crypto';
import { isUrl } from '../../kernel/validate.ts';

/** Of Standard Webhooks, for the secrets of symmetric signatures. */
const secretPrefix = 'whsec_';

export const newWebhookSecret = (): string => `${secretPrefix}${randomBytes(32).toString('base64')}`;

/** How long the secret before a rotation signs as well, in ms. */
export const oldSecretMs = 24 * 3_600_000;

/** The URL of a webhook. Private addresses are rejected when connecting, because names can resolve to others later. */
export const isWebhookUrl = (value: string): boolean =>
  // `URL` accepts `http:/x` and `http:x`, so the text is checked as well.
  /^https?:\/\/[^\s\\#]+$/i.test(value) && isUrl(value, ['https:', 'http:']);

/** The longest JSON text of variables. */
export const variablesLength = 16_384;

/** The deepest nesting of variables. `JSON.stringify` is recursive. */
const maxNesting = 50;

function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isNestedDeeper(each, levels - 1));
}

export const hasShortJson = (value: object): boolean =>
  !isNestedDeeper(value, maxNesting) && JSON.stringify(value).length <= variablesLength;

export const parsePatterns = (events: string): string[] => JSON.parse(events);

export const parseVariables = (variables: string | null): Record<string, unknown> =>
  variables === null ? {} : JSON.parse(variables);
