interface MediaRange {
  type: string;
  subtype: string;
  weight: number;
}

/** How much a client wants a media type: 0 is not at all; equal weights are in the order of their positions. */
export interface Preference {
  weight: number;
  position: number;
}

/** No client lists more; what comes after them is ignored. */
const maxRanges = 100;

const refused: Preference = { weight: 0, position: maxRanges };
const anything: MediaRange[] = [{ type: '*', subtype: '*', weight: 1 }];

/**
 * Reads an `Accept` header. A header that names no media type at all is as if it were absent.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function preferencesOf(accept: string | undefined): (mediaType: string) => Preference {
  const given = (accept ?? '').split(',', maxRanges).flatMap((text) => rangeOf(text) ?? []);
  const ranges = given.length > 0 ? given : anything;
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

/** Whether a client takes JSON. */
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
