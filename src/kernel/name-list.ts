/** The most names in one message. */
const maxNames = 10;

/** The `take` of a query whose result is passed to `nameList`: one more than the list shows. */
export const nameListQuery = { take: maxNames + 1 };

/** Names for a message to somebody who may not see all that it is about: `a, b and 2 that are not visible to you`. */
export function visibleNameList(names: readonly string[], hidden: number): string {
  const rest = hidden === 0 ? [] : [`${hidden} that ${hidden === 1 ? 'is' : 'are'} not visible to you`];
  return [...(names.length > 0 ? [nameList(names, names.length)] : []), ...rest].join(' and ');
}

/** Names for a message: `a, b and 12 more`. `count` is their total, if it is known. */
export function nameList(names: readonly string[], count?: number): string {
  const first = names.slice(0, maxNames).join(', ');
  const more = (count ?? names.length) - maxNames;
  if (more <= 0) return first;
  return count === undefined ? `${first} and others` : `${first} and ${more} more`;
}
