import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, parseAllDocuments, Scalar } from 'yaml';

/** An input that cannot be converted. The message says why, to the person who has given it. */
export class InputError extends Error {}

/** A tree of texts as they are written: `1.10` and `true` are texts too. Null is a value that is left out. */
export type Value = string | null | Value[] | Mapping | Marked;
export interface Mapping {
  [key: string]: Value;
}

/** A value with a tag that says how it is merged. @see https://github.com/compose-spec/compose-spec/blob/main/13-merge.md */
export class Marked {
  readonly tag: '!reset' | '!override';
  readonly value: Value;

  constructor(tag: Marked['tag'], value: Value) {
    this.tag = tag;
    this.value = value;
  }
}

const maxLength = 1_048_576;
/** What a document may expand to. Few aliases of large maps are as much as many of small ones. */
const expanded = { values: 200_000, length: 8 * maxLength, depth: 100 };

/** Reads the documents of a text. Aliases and merge keys are expanded. */
export function readYaml(text: string, name: string, scalarOf: (scalar: Scalar) => Value = textOf): Value[] {
  if (text.length > maxLength) throw new InputError(`${name} has more than 1 MiB.`);
  requireShallow(text, name);
  // With its own check for keys that are set twice, the parser compares each key with all others.
  const documents = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
  if (!Array.isArray(documents)) return [];
  const reader = new Reader(name, scalarOf);
  return documents.map((document) => reader.read(document as Document));
}

/** Fails for what is nested too deeply before it is parsed: the parser calls itself for each level, until the process ends. */
function requireShallow(text: string, name: string): void {
  let [flow, inLine, isScalar, isStart] = [0, 0, false, true];
  let indents: number[] = [];
  for (const token of new Lexer().lex(text)) {
    if (isScalar) isScalar = false;
    else if (token === '\x1f') isScalar = true;
    else if (token === '[' || token === '{') flow += 1;
    else if (token === ']' || token === '}') flow -= 1;
    else if (token === '-' || token === '?') inLine += 1;
    else if (token.endsWith('\n')) [inLine, isStart] = [0, true];
    else if (isStart && token.trim() === '')
      indents = [...indents.filter((each) => each < token.length), token.length];
    if (!token.endsWith('\n')) isStart = false;
    if (Math.max(flow, inLine, indents.length) > expanded.depth)
      throw new InputError(`${name} is nested too deeply.`);
  }
}

/** Reads the documents of a text with the types of their values, such as numbers. What is null is left out. */
export const readTyped = (text: string, name: string): unknown[] =>
  readYaml(text, name, ({ value }) => value as Value).map(withoutNull);

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNull(inner)]));
}

class Reader {
  readonly #name: string;
  readonly #scalarOf: (scalar: Scalar) => Value;
  readonly #left = { ...expanded };
  readonly #open = new Set<unknown>();
  #anchors = new Map<string, unknown>();

  constructor(name: string, scalarOf: (scalar: Scalar) => Value) {
    this.#name = name;
    this.#scalarOf = scalarOf;
  }

  read({ errors: [error], contents }: Document): Value {
    if (error) this.#fail(`is not YAML: ${error.message}`);
    this.#anchors = new Map();
    return this.#valueOf(contents);
  }

  #fail(reason: string): never {
    throw new InputError(`${this.#name} ${reason}`);
  }

  #valueOf(node: unknown): Value {
    if (node === null) return null;
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) this.#fail(`has an alias *${node.source} without an anchor before it.`);
      return this.#valueOf(target);
    }
    if (this.#open.has(node)) this.#fail('has an alias of what it is in.');
    if (this.#open.size > expanded.depth) this.#fail('is nested too deeply.');
    const { anchor, tag } = node as { anchor?: string; tag?: string };
    if (anchor) this.#anchors.set(anchor, node);
    this.#open.add(node);
    const value = this.#contentOf(node);
    this.#open.delete(node);
    return tag === '!reset' || tag === '!override' ? new Marked(tag, value) : value;
  }

  #contentOf(node: unknown): Value {
    if (--this.#left.values < 0) this.#fail('expands to too many values.');
    if (isSeq(node)) return node.items.map((item) => this.#valueOf(item));
    if (isMap(node)) return this.#mappingOf(node.items);
    if (!isScalar(node)) return this.#fail('has a value that cannot be read.');
    this.#left.length -= textOf(node)?.length ?? 0;
    if (this.#left.length < 0) this.#fail('expands to too much text.');
    return this.#scalarOf(node);
  }

  #mappingOf(items: readonly { key: unknown; value: unknown }[]): Mapping {
    const own = new Map<string, Value>();
    const merged = new Map<string, Value>();
    for (const { key, value } of items) {
      if (!isScalar(key)) this.#fail('has a key that is not a text.');
      const name = textOf(key as Scalar) ?? '';
      const read = this.#valueOf(value);
      if (name === '<<' && (key as Scalar).type === Scalar.PLAIN) {
        for (const each of Array.isArray(read) ? read : [read]) {
          if (!isMapping(each)) this.#fail('has a merge key whose value is no map.');
          for (const [inner, content] of Object.entries(each)) {
            if (!merged.has(inner)) merged.set(inner, content);
          }
        }
      } else if (own.has(name)) this.#fail(`has the key ${name} twice in one map.`);
      else own.set(name, read);
    }
    return Object.fromEntries([...merged, ...own]);
  }
}

/** A scalar as it is written, without quotes. */
function textOf({ value, source, type }: Scalar): string | null {
  if (type !== Scalar.PLAIN) return String(value ?? '');
  return value === null || source === 'null' || source === '~' || source === ''
    ? null
    : (source ?? String(value));
}

export const isMapping = (value: Value | undefined): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Marked);

/** The items of a list, or a single value as a list of one. */
export const listOf = (value: Value | undefined): Value[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

export const mappingOf = (value: Value | undefined): Mapping => (isMapping(value) ? value : {});

/** A text, or undefined for anything else and for an empty one. */
export const textIn = (value: Value | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const isTrue = (value: Value | undefined): boolean =>
  typeof value === 'string' && /^(true|yes|on|y|1)$/i.test(value);

/** Whether something is written: not null, false, or an empty text, list or map. */
export const isSet = (value: Value | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(typeof value !== 'object' && /^false$/i.test(String(value))) &&
  !(typeof value === 'object' && !(value instanceof Marked) && Object.keys(value).length === 0);
