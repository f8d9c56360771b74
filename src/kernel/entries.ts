/**
 * Whether an object has an entry of this name. Users choose names, which can be those of what every object inherits, such as
 * `constructor`.
 */
export const hasEntry = (entries: object | null | undefined, name: string): boolean =>
  Object.hasOwn(entries ?? {}, name);

/** The entry of this name, and never what every object inherits. */
export const entryOf = <T>(entries: { [name: string]: T } | null | undefined, name: string): T | undefined =>
  hasEntry(entries, name) ? entries![name] : undefined;
