/** Items by their title, in the order in which the titles come first. */
export function groupBy<T>(items: readonly T[], titleOf: (item: T) => string): [title: string, items: T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const title = titleOf(item);
    const group = groups.get(title);
    if (group) group.push(item);
    else groups.set(title, [item]);
  }
  return [...groups];
}
