/** The numbers and words of a version, and those of its pre-release. */
function partsOf(version: string) {
  // Build metadata after a `+` does not affect the order.
  const [text = ''] = version.replace(/^v(?=\d)/i, '').split('+', 1);
  const dash = text.indexOf('-');
  return {
    core: (dash < 0 ? text : text.slice(0, dash)).split('.'),
    pre: dash < 0 ? undefined : text.slice(dash + 1).split('.'),
  };
}

function compareParts(one: readonly string[], other: readonly string[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [a, b] = [one[index] ?? '0', other[index] ?? '0'];
    const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
    // As in semver, a number is lower than a word.
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    const difference = isNumber ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares versions by their dotted numbers, as the server does. A pre-release is lower than its release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  const difference = compareParts(a.core, b.core);
  if (difference !== 0) return difference;
  if (!a.pre || !b.pre) return Number(Boolean(b.pre)) - Number(Boolean(a.pre));
  return compareParts(a.pre, b.pre);
}

export const newestFirst = <T extends { version: string }>(versions: readonly T[]): T[] =>
  [...versions].sort((one, other) => compareVersions(other.version, one.version));

/** The version after this one: `1.2.3` gives `1.2.4`. */
export const nextVersion = (version: string) =>
  version.replace(/(\d+)(?=\D*$)/, (number) => String(Number(number) + 1));
