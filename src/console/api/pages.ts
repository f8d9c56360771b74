import type { Cache, Resolver, ResolverResult } from '@urql/exchange-graphcache';

type Arguments = Record<string, unknown>;

/** Whether two requests read pages of one list, in pages of one size. */
const isSameList = (one: Arguments, other: Arguments) => {
  const textOf = ({ after, ...rest }: Arguments) => JSON.stringify(rest);
  return textOf(one) === textOf(other);
};

const linkOf = (cache: Cache, key: string, field: string, args?: Arguments) => {
  const link = cache.resolve(key, field, args as never);
  return typeof link === 'string' ? link : undefined;
};

/**
 * Reads a list as its first page and the pages that continue it, each behind the end of the one before. Other than
 * `relayPagination`, it leaves out pages of an earlier visit, whose objects may be gone.
 */
export const pagedList: Resolver = (_parent, args, cache, { parentKey, fieldName }) => {
  const first = linkOf(cache, parentKey, fieldName, args);
  if (first === undefined || args.after || args.last || args.before) return first as ResolverResult;
  const further = cache
    .inspectFields(parentKey)
    .filter(
      (each) => each.fieldName === fieldName && each.arguments?.after && isSameList(each.arguments, args),
    );
  const nodes = new Set<unknown>();
  let [page, last]: (string | undefined)[] = [first];
  while (page !== undefined && page !== last) {
    last = page;
    for (const node of (cache.resolve(page, 'nodes') as unknown[] | undefined) ?? []) nodes.add(node);
    const end = cache.resolve(linkOf(cache, page, 'pageInfo') ?? null, 'endCursor');
    const next = further.find(({ arguments: given }) => given!.after === end);
    if (next) page = linkOf(cache, parentKey, next.fieldKey);
  }
  if (last === first) return first;
  return {
    __typename: cache.resolve(first, '__typename'),
    nodes: [...nodes],
    pageInfo: linkOf(cache, last!, 'pageInfo'),
  } as ResolverResult;
};
