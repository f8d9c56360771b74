/** Compares versions by their dotted numbers. Ignores a leading `v`; a pre-release is lower than its release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parse(one), parse(other)];
  return compareParts(a.core, b.core) || comparePre(a.pre, b.pre);
}

function parse(version: string): { core: string[]; pre: string[] } {
  // Build metadata after a `+` does not affect the order.
  const [text] = version.replace(/^v(?=\d)/i, '').split('+', 1);
  const dash = text!.indexOf('-');
  const core = dash < 0 ? text! : text!.slice(0, dash);
  return { core: core.split('.'), pre: dash < 0 ? [] : text!.slice(dash + 1).split('.') };
}

function comparePre(one: string[], other: string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  return compareParts(one, other);
}

function compareParts(one: string[], other: string[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = comparePart(one[index] ?? '0', other[index] ?? '0');
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePart(one: string, other: string): number {
  const [a, b] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (a && b) {
    const [x, y] = [BigInt(one), BigInt(other)];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  // As in semver, a number is lower than a word.
  if (a !== b) return a ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}
