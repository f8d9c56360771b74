import { z } from 'zod';
import { InvalidInputError, type Issue } from './errors.ts';

/** Converts a zod error to the issues that callers see. */
export function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue): Issue[] => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], message: 'Unknown field' }));
    }
    return [{ path, message: issue.message }];
  });
}

/** Parses a value, or throws INVALID_INPUT with all issues, their paths prefixed with `at`. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, at: string[] = []): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new InvalidInputError(
    issuesOf(result.error).map((issue) => ({ ...issue, path: [...at, ...issue.path] })),
  );
}

export function invalid(path: (string | number)[], message: string): InvalidInputError {
  return new InvalidInputError([{ path, message }]);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const controlCharactersButLineBreaks = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const isText = (value: string) => !controlCharacters.test(value) && !loneSurrogate.test(value);
const isLongText = (value: string) =>
  !controlCharactersButLineBreaks.test(value) && !loneSurrogate.test(value);

/**
 * A text of at most `max` characters. Nothing else is checked of a longer one: patterns would take time for each of its megabytes.
 */
export const boundedString = (max: number) => z.string().max(max, { abort: true });

/** One line of text: no control characters, 1 to `max` characters, not blank. */
export const line = (max: number) =>
  boundedString(max)
    .min(1)
    .refine(isText, 'Control characters are not allowed')
    .refine((value) => value.trim().length > 0, 'Must not be blank');

/** One line of at most `max` characters. Can be empty. */
export const text = (max: number) => boundedString(max).refine(isText, 'Control characters are not allowed');

/** Text of at most `max` characters that can have line breaks and tabs. */
export const prose = (max: number) =>
  boundedString(max).refine(isLongText, 'Control characters are not allowed');

/** The words of a command, which no shell reads. */
export const commandWords = z
  .array(prose(16_384))
  .min(1)
  .max(100)
  .refine(([program]) => program === undefined || program.trim() !== '', 'The first word must not be blank');

/**
 * Characters that are invisible or change the direction of the text around them. With them, two different names could
 * look the same. Variation selectors are allowed, because emoji use them. @see https://www.unicode.org/reports/tr36/
 */
const hiddenCharacters = /(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/u;
/**
 * How many combining marks, such as accents, can follow each other. Normalization sorts them, in a time that grows with the square
 * of their number. @see https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
const maxMarks = 30;
/** The beginning of more marks than that. Each mark is looked at once. */
const tooManyMarks = new RegExp(`(?<!\\p{M})\\p{M}{${maxMarks + 1}}`, 'u');

/** A text in NFC, unless it has too many marks. */
const normalized = (value: string) => (tooManyMarks.test(value) ? value : value.normalize('NFC'));

/** A name without visible characters. */
const blank = /^(?:[\s\u2800]|[\ufe00-\ufe0f])*$/;

const withoutHidden = (schema: z.ZodString) =>
  schema.refine(
    (value) => !hiddenCharacters.test(value),
    'Invisible and text direction characters are not allowed',
  );

/** A line without invisible characters, which is not normalized: an id that must be sent as it was received. */
export const visibleLine = (max: number) => withoutHidden(line(max));

/** How many UTF-16 units a character in NFC can have before it is normalized, at most. */
const maxUnits = 8;

/** A text in NFC and trimmed. One that is far too long is cut to one that is too long, so that nothing else takes time. */
const shown = (max: number, check: (value: string) => boolean) =>
  withoutHidden(
    z
      .string()
      .overwrite((value) => (value.length > maxUnits * max ? 'x'.repeat(max + 1) : value))
      .refine(check, 'Control characters are not allowed'),
  )
    .refine((value) => !tooManyMarks.test(value), `At most ${maxMarks} combining marks can follow each other`)
    .overwrite(normalized)
    .trim()
    .max(max);

/** A display name: one line of 1 to `max` characters, in NFC and trimmed. */
export const displayName = (max: number) =>
  shown(max, isText)
    .min(1)
    .refine((value) => value === '' || !blank.test(value), 'Must not be blank');

/** A display text: one line of at most `max` characters, in NFC and trimmed. Can be empty. */
export const displayText = (max: number) => shown(max, isText);

/** A display text that can have line breaks and tabs. */
export const displayProse = (max: number) => shown(max, isLongText);

const maxLogoLength = 64 * 1024;
const imageData = /^data:image\/[a-z0-9.+-]+(;[a-z0-9=.+-]+)*,[\x21-\x7e]*$/i;

/** Whether a text is a URL with one of the schemes (`https:`), without credentials. */
export function isUrl(value: string, schemes: readonly string[]): boolean {
  if (!/^[\x21-\x7e]+$/.test(value)) return false;
  try {
    const { protocol, username, password } = new URL(value);
    return schemes.includes(protocol) && username === '' && password === '';
  } catch {
    return false;
  }
}

/** The slashes are required, because browsers and `new URL` add them. */
const isHttpsUrl = (value: string) =>
  value.length <= 2048 && /^https:\/\//i.test(value) && isUrl(value, ['https:']);

/** A logo: an https URL or an image data URL. With `orNone`, it can be empty. */
export const logo = ({ orNone = false } = {}) =>
  boundedString(maxLogoLength).refine(
    (value) => (orNone && value === '') || imageData.test(value) || isHttpsUrl(value),
    'Must be an https URL without credentials of at most 2048 characters, or `data:image/…` of at most 64 KiB',
  );

/** A DNS label of RFC 1035, at most 63 characters. @see https://www.rfc-editor.org/rfc/rfc1035#section-2.3.1 */
export const dnsLabel = () =>
  boundedString(63).regex(
    /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
    'Must contain only lower-case letters, digits and hyphens, and start with a letter',
  );

/**
 * Matches RFC 1123 host names, in lower case unless `letters` says otherwise. The length is not checked.
 * @see https://www.rfc-editor.org/rfc/rfc1123#section-2
 */
export function hostNamePattern({ letters = 'a-z', wildcard = false } = {}): RegExp {
  const label = `[${letters}0-9]([-${letters}0-9]{0,61}[${letters}0-9])?`;
  return new RegExp(`^${wildcard ? '(\\*\\.)?' : ''}(${label})(\\.${label})*$`);
}

/** A header name. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
export const headerName = () =>
  boundedString(256).regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Must be a header name');

/** A search text, which is matched as a case-insensitive substring. */
export const search = () => text(200);

/** How many words a search can have. Each is looked for in every row. */
const maxWords = 6;

/** The words of a search, which can be in any order. */
export const words = () =>
  search().refine((value) => wordsOf(value).length <= maxWords, `At most ${maxWords} words`);

/**
 * Folds texts for case-insensitive search, so that both databases give the same results. A capital sigma
 * has two lower-case forms, which count as one.
 */
export function fold(...texts: (string | null | undefined)[]): string {
  return texts
    .map((value) =>
      normalized(value ?? '')
        .toLowerCase()
        .replaceAll('ς', 'σ'),
    )
    .join('\n');
}

/** The field `expectedRevision` of an input that names an object to change. */
export const expectedRevision = (object: string) =>
  z
    .int32()
    .min(1)
    .nullish()
    .describe(
      `The expected revision of ${object}. Fails with CONFLICT if the revision is different. Not checked if omitted.`,
    );

/** The field `dryRun` of an input whose payload has a plan. */
export const dryRunField = z
  .boolean()
  .nullish()
  .describe('Whether to return only the plan and change nothing. Defaults to false.');

/** The fields of a change of an object that exists, which can be planned. */
export const plannedChange = (object: string) => ({
  expectedRevision: expectedRevision(object),
  dryRun: dryRunField,
});

/** The end of the description of a field that no code acts on. */
export const onlyStored = 'Trellis stores it for clients and does not act on it.';

/** The different words of a text, folded. */
export const wordsOf = (text: string): string[] => [...new Set(fold(text).split(/\s+/).filter(Boolean))];
