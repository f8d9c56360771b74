/** A number without leading zeros, or a word. */
interface Part {
  isNumber: boolean;
  text: string;
}

interface Version {
  core: Part[];
  pre: Part[];
}

/** Compares versions by their dotted numbers. Ignores a leading `v`; a pre-release is lower than its release. */
export const compareVersions = (one: string, other: string): number =>
  compareParsed(parseVersion(one), parseVersion(other));

/** Sorts items by their versions, in ascending order. Each version is parsed once. */
export function sortedByVersion<T>(items: readonly T[], versionOf: (item: T) => string): T[] {
  const parsed = items.map((item) => ({ item, version: parseVersion(versionOf(item)) }));
  return parsed.sort((one, other) => compareParsed(one.version, other.version)).map(({ item }) => item);
}

/** Whether a version is newer than the given one, which is parsed once. */
export function isNewerThan(version: string): (other: string) => boolean {
  const parsed = parseVersion(version);
  return (other) => compareParsed(parseVersion(other), parsed) > 0;
}

function parseVersion(version: string): Version {
  // Build metadata after a `+` does not affect the order.
  const [text] = version.replace(/^v(?=\d)/i, '').split('+', 1);
  const dash = text!.indexOf('-');
  const parts = (list: string) => list.split('.').map(parsePart);
  return {
    core: parts(dash < 0 ? text! : text!.slice(0, dash)),
    pre: dash < 0 ? [] : parts(text!.slice(dash + 1)),
  };
}

const parsePart = (text: string): Part =>
  /^\d+$/.test(text) ? { isNumber: true, text: text.replace(/^0+(?=\d)/, '') } : { isNumber: false, text };

const zero: Part = { isNumber: true, text: '0' };

const compareParsed = (one: Version, other: Version): number =>
  compareParts(one.core, other.core) || comparePre(one.pre, other.pre);

function comparePre(one: Part[], other: Part[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  return compareParts(one, other);
}

function compareParts(one: Part[], other: Part[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = comparePart(one[index] ?? zero, other[index] ?? zero);
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePart(a: Part, b: Part): number {
  // As in semver, a number is lower than a word.
  if (a.isNumber !== b.isNumber) return a.isNumber ? -1 : 1;
  // The longer of two numbers is the larger one.
  if (a.isNumber && a.text.length !== b.text.length) return a.text.length - b.text.length;
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}
