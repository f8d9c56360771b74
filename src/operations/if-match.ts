import { ConflictError, InvalidInputError, type Issue } from '../kernel/errors.ts';
import { type EntityTags, entityTagsOf } from '../rest/entity-tag.ts';
import type { Operation } from './operation.ts';

/** The strong entity tag of the object of a payload: its id and its revision. */
export function entityTagIn(payload: Record<string, unknown>): string | undefined {
  for (const value of Object.values(payload)) {
    const { id, revision } = (value ?? {}) as { id?: unknown; revision?: unknown };
    if (typeof id === 'string' && typeof revision === 'number') return `"${id}.${revision}"`;
  }
  return undefined;
}

/** The input with the revision that `If-Match` allows. The object has to be named by its id, which the tag has. */
export function withIfMatch(
  { target }: Operation,
  input: Record<string, unknown>,
  header: string | undefined,
): Record<string, unknown> {
  const issues: Issue[] = [];
  const tags = entityTagsOf(header, issues);
  if (issues.length > 0) throw new InvalidInputError(issues);
  if (!tags) return input;
  const refuse = (path: string[], message: string) => new InvalidInputError([{ path, message }]);
  if (!target) throw refuse(['If-Match'], 'Is not supported here. Use `expectedRevision` where there is one');
  if (Object.hasOwn(input, 'expectedRevision'))
    throw refuse(['If-Match'], 'Cannot be combined with `expectedRevision`');
  const id = (input[target] as { id?: unknown } | null | undefined)?.id;
  if (typeof id !== 'string') throw refuse([target, 'id'], 'Is required with `If-Match`');
  const [revision, ...others] = revisionsIn(tags, id);
  if (revision === undefined) throw new ConflictError('`If-Match` has no entity tag of this object.');
  if (others.length > 0) throw refuse(['If-Match'], 'Can have only one entity tag of an object');
  return { ...input, expectedRevision: revision };
}

/** The revisions of an object in strong tags. Weak tags match nothing. */
const revisionsIn = (tags: EntityTags, id: string): number[] =>
  tags.flatMap((tag) => {
    const [, of, revision] = /^"([\w-]+)\.([1-9]\d{0,8})"$/.exec(tag) ?? [];
    return of === id ? Number(revision) : [];
  });
