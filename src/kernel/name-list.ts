/** The most names in one message. */
const maxNames = 10;

/** The `take` of a query whose result is passed to `nameList`: one more than the list shows. */
export const nameListQuery = { take: maxNames + 1 };

/** Names for a message: `a, b and 12 more`. `count` is their total, if it is known. */
export function nameList(names: readonly string[], count?: number): string {
  const shown = names.slice(0, maxNames).join(', ');
  const more = (count ?? names.length) - maxNames;
  if (more <= 0) return shown;
  return count === undefined ? `${shown} and others` : `${shown} and ${more} more`;
}
