import { getPublicSuffix } from 'tldts';
import type { Row } from '../../../db/tables.ts';
import { boundedString, hostNamePattern } from '../../../kernel/validate.ts';

const wildcard = '*.';

export const isWildcard = (name: string) => name.startsWith(wildcard);

/** The name without a leading `*.`. */
export const baseOf = (name: string) => (isWildcard(name) ? name.slice(wildcard.length) : name);

/** Whether the name is a subdomain of the other one, at any depth. */
export const isBelow = (name: string, other: string) => name.endsWith(`.${other}`);

/** The wildcards that cover a name: `*.b.example` and `*.example` for `a.b.example`, and for `*.a.b.example` too. */
export function wildcardsOver(name: string): string[] {
  const labels = baseOf(name).split('.');
  return labels.slice(1).map((_, at) => wildcard + labels.slice(at + 1).join('.'));
}

type Match = Pick<Row<'HttpRule'>, 'domain' | 'path' | 'cookie' | 'header' | 'weight'>;

/** Whether a change of a rule changes which requests go to the other components of its domain. */
export const matchesOthers = (before: Match, after: Partial<Match>): boolean =>
  (['domain', 'path', 'cookie', 'header', 'weight'] as const).some(
    (field) => after[field] !== undefined && after[field] !== before[field],
  );

type Secured = Pick<Row<'HttpRule'>, 'certificateId' | 'autoSsl'>;

type Settings = Pick<Row<'HttpRule'>, 'pathRewrite' | 'configuration'>;

/** Whether a change of a rule changes what happens to the requests that other rules share with it. */
export const changesRequests = (before: Settings, after: Partial<Settings>): boolean =>
  (['pathRewrite', 'configuration'] as const).some(
    (field) => after[field] !== undefined && after[field] !== before[field],
  );

/** Whether a change of a rule changes the certificate that requests for its domain get. */
export const changesCertificate = (before: Secured, after: Partial<Secured>): boolean =>
  (['certificateId', 'autoSsl'] as const).some(
    (field) => after[field] !== undefined && after[field] !== before[field],
  );

/** Browsers treat a name whose last label is a number as an IPv4 address. @see https://url.spec.whatwg.org/#ends-in-a-number-checker */
const isAddress = (name: string) => /(^|\.)(\d+|0x[0-9a-f]*)$/i.test(name);

/**
 * Whether nobody can own the name because others register names below it: a single label, or an entry of the
 * public suffix list, those of hosting companies (`github.io`) included. @see https://publicsuffix.org/list/
 */
const isPublicSuffix = (name: string) =>
  getPublicSuffix(name, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) ===
  name;

/** The most labels of a name. Each of them is the end of a wildcard that is looked up. */
export const maxLabels = 16;

/** An RFC 1123 host name, optionally starting with `*.`. Converted to lower case. */
export const domain = boundedString(253)
  .refine((name) => name.split('.').length <= maxLabels, {
    error: `Must have at most ${maxLabels} labels`,
    abort: true,
  })
  .regex(hostNamePattern({ letters: 'A-Za-z', wildcard: true }), {
    error: 'Must be a host name, optionally starting with `*.`',
    abort: true,
  })
  .toLowerCase()
  .refine((name) => !isAddress(name), { error: 'Must be a host name, not an address', abort: true })
  .refine(
    (name) => !isPublicSuffix(baseOf(name)),
    'Must be a registrable domain or a subdomain of one, not a single label or a public suffix',
  );
