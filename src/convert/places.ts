import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import type { Note } from './claims.ts';

interface Source {
  name: string;
  text: string;
}

/** Where a part of a source is. Lines and columns begin with 1. */
export interface Place {
  source: string;
  line: number;
  column: number;
}

interface Reached {
  offset: number;
  depth: number;
}

/** Finds the parts of sources that notes are about. */
export function placesIn(sources: readonly Source[]): (note: Note) => Place | undefined {
  const read = sources.map(({ name, text }) => {
    const lines = new LineCounter();
    const documents = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent', lineCounter: lines });
    return { name, lines, roots: Array.isArray(documents) ? documents.map(({ contents }) => contents) : [] };
  });
  const objects = new Map<string, { index: number; node: unknown }>();
  for (const [index, { roots }] of read.entries()) {
    for (const node of roots.flatMap(objectsIn)) {
      const name = `${textAt(node, ['kind'])} ${textAt(node, ['metadata', 'name'])}`;
      if (!objects.has(name)) objects.set(name, { index, node });
    }
  }
  const at = (index: number, offset: number): Place => {
    const { name, lines } = read[index]!;
    const { line, col } = lines.linePos(offset);
    return { source: name, line, column: col };
  };
  return (note) => {
    const object = objects.get(`${note.key} ${note.subject}`);
    if (object) {
      const steps = stepsOf(/^([^\s:]+): /.exec(note.reason)?.[1] ?? '');
      const start = offsetOf(object.node);
      // The reasons leave out the first keys of a path.
      const reached = [['spec', 'template', 'spec'], ['spec'], []].map((first) => {
        const { offset, depth } = reach(object.node, [...first, ...steps], [], start);
        return depth > first.length ? offset : undefined;
      });
      return at(object.index, reached.find((offset) => offset !== undefined) ?? start);
    }
    const steps = [...(note.subject === null ? [] : ['services', note.subject]), ...stepsOf(note.key)];
    const names = (note.detail ?? '').split('.');
    // What a later source says holds instead of what an earlier one says.
    let found: { index: number; reached: Reached } | undefined;
    for (const [index, { roots }] of read.entries()) {
      const reached = reach(roots[0], steps, names, 0);
      if (reached.depth > 0 && reached.depth >= (found?.reached.depth ?? 0)) found = { index, reached };
    }
    return found && at(found.index, found.reached.offset);
  };
}

const stepsOf = (path: string) => path.replaceAll('[]', '.[]').split('.').filter(Boolean);

const offsetOf = (node: unknown) => (node as { range?: [number] | null } | null)?.range?.[0] ?? 0;

/** The objects of a document of Kubernetes, those of lists too. */
function objectsIn(node: unknown): unknown[] {
  if (!isMap(node)) return [];
  const items = node.get('items');
  return isSeq(items) ? items.items : [node];
}

function textAt(node: unknown, path: readonly string[]): string | undefined {
  const value = isMap(node) ? node.getIn(path) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** As far along a path as a node goes. A step `*` is the first of the names that is there, and `[]` an item with one of them. */
function reach(node: unknown, steps: readonly string[], names: readonly string[], offset: number): Reached {
  const [step, ...rest] = steps;
  const end = { offset, depth: 0 };
  if (step === undefined) return end;
  if (isMap(node)) {
    const wanted = step === '*' ? names : [step];
    const pair = node.items.find(({ key }) => isScalar(key) && wanted.includes(String(key.value)));
    if (!pair) return end;
    const below = reach(pair.value, rest, names, offsetOf(pair.key));
    return { ...below, depth: below.depth + 1 };
  }
  if (!isSeq(node)) return end;
  const isNamed = (item: unknown) => {
    const text = isScalar(item) ? String(item.value) : JSON.stringify(item);
    return names.some((name) => name !== '' && text.includes(name));
  };
  const item = node.items.length === 1 ? node.items[0] : node.items.find(isNamed);
  if (item === undefined) return end;
  const below = reach(item, step === '[]' ? rest : steps, names, offsetOf(item));
  return { ...below, depth: below.depth + 1 };
}
