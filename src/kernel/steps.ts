interface Visit<T> {
  item: T;
  needs: readonly T[];
  /** The index of the next of `needs` to look at. */
  next: number;
}

/**
 * The step of each item, so that it comes after the items that it needs: 0 for those that need none. Items that need
 * each other have the same step. Tarjan's algorithm, which finds such groups after the groups that they need; without
 * recursion, because a chain can be long.
 * @see https://doi.org/10.1137/0201010
 */
export function stepsOf<T>(items: Iterable<T>, needsOf: (item: T) => readonly T[]): Map<T, number> {
  const steps = new Map<T, number>();
  const order = new Map<T, number>();
  const lowest = new Map<T, number>();
  const open: T[] = [];
  const begin = (item: T): Visit<T> => {
    lowest.set(item, order.size);
    order.set(item, order.size);
    open.push(item);
    return { item, needs: needsOf(item), next: 0 };
  };
  const lower = (item: T, to: number) => lowest.set(item, Math.min(lowest.get(item)!, to));
  for (const first of items) {
    if (order.has(first)) continue;
    const path = [begin(first)];
    while (path.length > 0) {
      const visit = path.at(-1)!;
      const need = visit.needs[visit.next++];
      if (need !== undefined) {
        if (!order.has(need)) path.push(begin(need));
        else if (!steps.has(need)) lower(visit.item, order.get(need)!);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) lower(parent.item, lowest.get(visit.item)!);
      if (lowest.get(visit.item) !== order.get(visit.item)) continue;
      const group = open.splice(open.lastIndexOf(visit.item));
      const before = group.flatMap((each) => needsOf(each)).flatMap((each) => steps.get(each) ?? []);
      const step = before.reduce((highest, each) => Math.max(highest, each + 1), 0);
      for (const item of group) steps.set(item, step);
    }
  }
  return steps;
}
