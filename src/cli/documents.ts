import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Context } from './context.ts';
import { Failure, type Issue } from './failure.ts';

export interface Manifest {
  /** The path of the file, or `-`. */
  file: string;
  /** The name of the application or, where the document has none, the file. */
  application: string;
  /** The document as it is sent, with the values of secrets. */
  document: string;
  /** The places of problems as those of the file. */
  issuesInFile(issues: readonly Issue[]): Issue[];
}

const maxBytes = 1_048_576;

async function bytesOf({ stdin }: Context, file: string): Promise<Buffer> {
  if (file !== '-') {
    return readFile(file).catch((error: NodeJS.ErrnoException) => {
      throw new Failure(
        error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${error.message}`,
      );
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The text of a file. What is no UTF-8 would be sent, and applied, with other characters in its place. */
export async function textOf(context: Context, file: string): Promise<string> {
  const bytes = await bytesOf(context, file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Failure(`${file} is not UTF-8.`);
  }
}

/** The manifest of a document without secrets to replace. */
export const manifestOf = (
  file: string,
  document: string,
  parsed: Document = parseDocument(document, { uniqueKeys: false }),
): Manifest => {
  const name = isMap(parsed.contents) ? parsed.get('application') : undefined;
  const application = typeof name === 'string' ? name : file;
  return { file, application, document, issuesInFile: (issues) => [...issues] };
};

/** Where a map ends. That of a block counts the line breaks after it. */
function endOf(map: YAMLMap): number {
  const last = map.flow ? map : (map.items.at(-1)!.value as Scalar);
  return last.range![1];
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Reads a manifest, and replaces secrets that come from the environment or from files by their values. */
export async function readManifest(context: Context, file: string): Promise<Manifest> {
  const source = await textOf(context, file);
  if (Buffer.byteLength(source) > maxBytes) throw new Failure(`${file} has more than 1 MiB.`);
  const lines = new LineCounter();
  const parsed = parseDocument(source, { lineCounter: lines, uniqueKeys: false });
  // The gateway says what is wrong with it, and where.
  const manifest = manifestOf(file, source, parsed);
  if (parsed.errors.length > 0) return manifest;
  const found: {
    pair: Pair;
    source: { kind: 'env' | 'file'; name: string };
    isFlow: boolean;
    hasFlag: boolean;
  }[] = [];
  visit(parsed, {
    Map(_, map) {
      for (const pair of map.items) {
        if (!isScalar(pair.key) || pair.key.value !== 'secret' || !isMap(pair.value)) continue;
        const [only, ...others] = pair.value.items;
        const kind = only && isScalar(only.key) ? only.key.value : undefined;
        const name = only && isScalar(only.value) ? only.value.value : undefined;
        if (others.length > 0 || (kind !== 'env' && kind !== 'file') || typeof name !== 'string') continue;
        found.push({ pair, source: { kind, name }, isFlow: Boolean(map.flow), hasFlag: map.has('isSecret') });
      }
    },
  });
  const edits: Edit[] = [];
  const added: number[] = [];
  for (const { pair, source: from, isFlow, hasFlag } of found) {
    const value = await secretOf(context, from, file);
    const [start] = (pair.key as { range: [number, number, number] }).range;
    const end = endOf(pair.value as YAMLMap);
    const { line, col } = lines.linePos(start);
    const separator = isFlow ? ', ' : `\n${' '.repeat(col - 1)}`;
    edits.push({
      start,
      end,
      text: `value: ${JSON.stringify(value)}${hasFlag ? '' : `${separator}isSecret: true`}`,
    });
    const last = lines.linePos(end).line;
    const grown = (isFlow || hasFlag ? 0 : 1) - (last - line);
    for (let each = 0; each < grown; each++) added.push(line);
  }
  let document = source;
  for (const { start, end, text: value } of edits.toSorted((a, b) => b.start - a.start)) {
    document = document.slice(0, start) + value + document.slice(end);
  }
  return {
    ...manifest,
    document,
    issuesInFile: (issues) =>
      issues.map((issue) => {
        if (issue.line === undefined) return issue;
        let { line } = issue;
        for (const at of added.toSorted((a, b) => a - b)) if (line > at) line--;
        return { ...issue, line };
      }),
  };
}

async function secretOf(
  { env }: Context,
  { kind, name }: { kind: 'env' | 'file'; name: string },
  file: string,
): Promise<string> {
  if (kind === 'env') {
    const value = env[name];
    if (value === undefined)
      throw new Failure(`${file} takes a secret from the environment variable ${name}, which is not set.`);
    return value;
  }
  const path = resolve(file === '-' ? '.' : dirname(file), name);
  const value = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Failure(`${file} takes a secret from the file ${name}, which cannot be read: ${error.message}`);
  });
  // Editors and most commands end files with a line break.
  return value.replace(/\r?\n$/, '');
}
