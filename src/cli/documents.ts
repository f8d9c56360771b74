import { type Document, isMap, LineCounter, parseDocument, type Scalar, type YAMLMap } from 'yaml';
import type { Context } from './context.ts';
import { Failure, type Issue } from './failure.ts';
import { namedSecrets, type SecretOptions, secretValue } from './secrets.ts';
import { textOf } from './text.ts';

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
export async function readManifest(
  context: Context,
  file: string,
  options: SecretOptions = {},
): Promise<Manifest> {
  const source = await textOf(context, file);
  if (Buffer.byteLength(source) > maxBytes) throw new Failure(`${file} has more than 1 MiB.`);
  const lines = new LineCounter();
  const parsed = parseDocument(source, { lineCounter: lines, uniqueKeys: false });
  // The gateway says what is wrong with it, and where.
  const manifest = manifestOf(file, source, parsed);
  if (parsed.errors.length > 0) return manifest;
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const edits: Edit[] = [];
  const added: number[] = [];
  for (const secret of namedSecrets(parsed, placeOf)) {
    const value = await secretValue(context, secret, file, options);
    const { map, pair, hasFlag } = secret;
    const [start] = pair.key.range!;
    const end = endOf(pair.value!);
    const { line, col } = lines.linePos(start);
    const separator = map.flow ? ', ' : `\n${' '.repeat(col - 1)}`;
    edits.push({
      start,
      end,
      text: `value: ${JSON.stringify(value)}${hasFlag ? '' : `${separator}isSecret: true`}`,
    });
    const last = lines.linePos(end).line;
    const grown = (map.flow || hasFlag ? 0 : 1) - (last - line);
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
