interface MediaRange {
  type: string;
  subtype: string;
  weight: number;
}

/** The weight of a media type for a client. 0 means not accepted; equal weights are ordered by position. */
export interface Preference {
  weight: number;
  position: number;
}

/** The most media types that are read. Further ones are ignored. */
const maxRanges = 100;

const refused: Preference = { weight: 0, position: maxRanges };
const anything: MediaRange[] = [{ type: '*', subtype: '*', weight: 1 }];

/**
 * Parses an `Accept` header. A header without media types counts as absent.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function preferencesOf(accept: string | undefined): (mediaType: string) => Preference {
  const headerRanges = (accept ?? '').split(',', maxRanges).flatMap((text) => rangeOf(text) ?? []);
  const ranges = headerRanges.length > 0 ? headerRanges : anything;
  return (mediaType) => {
    const [type, subtype] = mediaType.split('/');
    let best = refused;
    let bestPrecision = -1;
    for (const [position, range] of ranges.entries()) {
      const isMatch =
        (range.type === type && (range.subtype === subtype || range.subtype === '*')) ||
        (range.type === '*' && range.subtype === '*');
      const precision = Number(range.type !== '*') + Number(range.subtype !== '*');
      if (!isMatch || precision <= bestPrecision) continue;
      best = { weight: range.weight, position };
      bestPrecision = precision;
    }
    return best;
  };
}

export const acceptsJson = (accept: string | undefined): boolean =>
  accept === undefined ||
  accept === '*/*' ||
  accept === 'application/json' ||
  preferencesOf(accept)('application/json').weight > 0;

function rangeOf(text: string): MediaRange | undefined {
  const [name = '', ...parameters] = text.toLowerCase().replaceAll(/\s/g, '').split(';');
  const [type, subtype] = name.split('/');
  if (!type || !subtype) return undefined;
  let weight = 1;
  for (const parameter of parameters) {
    const [key, value = ''] = parameter.split('=');
    if (key === 'q') weight = Math.min(Math.max(Number(value) || 0, 0), 1);
    // Every answer is UTF-8.
    if (key === 'charset' && !/^"?utf-?8"?$/.test(value)) weight = 0;
  }
  return { type, subtype, weight };
}
