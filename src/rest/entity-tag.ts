import type { Issue } from '../kernel/errors.ts';
import { encodeGlobalId } from '../kernel/global-id.ts';

/** The entity tags in `If-Match`. */
export type EntityTags = readonly string[];

/** The strong entity tag of an object: its global id and its revision. */
export const entityTag = (type: string, { id, revision }: { id: string | number; revision: number }) =>
  `"${encodeGlobalId(type, id)}.${revision}"`;

const tag = /(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"/;
/** Elements of a list can be empty. Each position matches in one way only, so that the time is linear. */
const list = new RegExp(`^[ \\t,]*${tag.source}(?:[ \\t]*,[ \\t,]*${tag.source})*[ \\t,]*$`);

/**
 * The tags of an `If-Match` header. Undefined without the header and for `*`, which requires that the object exists, as
 * every change does. @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
export function entityTagsOf(header: string | undefined, issues: Issue[]): EntityTags | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const isList = header.length <= maxLength && list.test(header);
  if (!isList) issues.push({ path: ['If-Match'], message: 'Must be `*` or entity tags in double quotes' });
  return isList ? header.match(new RegExp(tag, 'g'))! : undefined;
}

const maxLength = 4096;

/** The revision of an object that the tags allow. Weak tags and tags of other objects allow none. */
export function expectedBy(tags: EntityTags | undefined, type: string) {
  return tags && ((id: string | number) => revisionsIn(tags, encodeGlobalId(type, id)));
}

function revisionsIn(tags: EntityTags, globalId: string): number[] {
  const revisions = tags.flatMap((each) => {
    const [, of, revision] = /^"([\w-]+)\.([1-9]\d{0,9})"$/.exec(each) ?? [];
    return of === globalId ? Number(revision) : [];
  });
  return [...new Set(revisions)];
}
