import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Document, isMap, isPair, isScalar, type Pair, type Scalar, visit, type YAMLMap } from 'yaml';
import { type Context, environmentForFiles } from './context.ts';
import { Failure } from './failure.ts';
import { decoded, pathBelow } from './text.ts';

/** A secret that is named in a manifest and is not in it. */
export interface NamedSecret {
  /** The entry of the variable. */
  map: YAMLMap;
  /** Its `secret`. */
  pair: Pair<Scalar, YAMLMap>;
  kind: 'env' | 'file';
  name: string;
  /** Whether `isSecret: true` is written beside it. */
  hasFlag: boolean;
}

export interface SecretOptions {
  /** Folders with files that can be secrets, in addition to the one of the manifest. */
  secretFolder?: string[];
}

const maxBytes = 1_048_576;
const collections = new Set<unknown>(['variables', 'connectionVariables']);

/** Whether the last of the nodes is an entry in a collection of variables. What is in a key is none: keys are shown in errors. */
function isVariable(nodes: readonly unknown[]): boolean {
  if (nodes.some((each, index) => isPair(each) && nodes[index + 1] === each.key)) return false;
  const [collection, , entry] = nodes.slice(-4);
  return (
    isPair(collection) && isScalar(collection.key) && collections.has(collection.key.value) && isPair(entry)
  );
}

/**
 * The secrets of a document that come from the environment or from files. They are always secret: a document cannot have their values
 * shown, by a flag, a second flag or a key that is written in another way. Throws where one tries.
 */
export function namedSecrets(document: Document, at: (offset: number) => string): NamedSecret[] {
  const secrets: NamedSecret[] = [];
  visit(document, {
    Map(_, map, ancestors) {
      const pair = map.items.find(({ key }) => isScalar(key) && key.value === 'secret');
      if (!pair || !isMap(pair.value) || !isVariable([...ancestors, map])) return;
      const [only, ...others] = pair.value.items;
      const kind = only && isScalar(only.key) ? only.key.value : undefined;
      const name = only && isScalar(only.value) ? only.value.value : undefined;
      if (others.length > 0 || (kind !== 'env' && kind !== 'file') || typeof name !== 'string') return;
      const hasFlag = hasTrueFlag(map, at);
      secrets.push({ map, pair: pair as NamedSecret['pair'], kind, name, hasFlag });
    },
  });
  return secrets;
}

function hasTrueFlag({ items }: YAMLMap, at: (offset: number) => string): boolean {
  const names = new Set<unknown>();
  for (const { key, value } of items) {
    const offset = (key as Partial<Scalar> | null)?.range?.[0] ?? 0;
    if (!isScalar(key) || typeof key.value !== 'string' || key.value === '<<' || names.has(key.value))
      throw new Failure(`${at(offset)}: Beside a secret, write each field once, by its name.`);
    if (key.value === 'isSecret' && !(isScalar(value) && value.value === true))
      throw new Failure(
        `${at(offset)}: A value from the environment or a file is always secret. Remove isSecret.`,
      );
    names.add(key.value);
  }
  return names.has('isSecret');
}

/** The value of a secret of the manifest in `file`. */
export async function secretValue(
  context: Context,
  { kind, name }: NamedSecret,
  file: string,
  { secretFolder = [] }: SecretOptions,
): Promise<string> {
  if (kind === 'env') {
    const value = environmentForFiles(context)[name];
    if (value === undefined) {
      const reason = context.env[name] === undefined ? 'is not set' : 'only the command line can use';
      throw new Failure(`${file} takes a secret from the environment variable ${name}, which ${reason}.`);
    }
    return value;
  }
  const wrong = (reason: string) => new Failure(`${file} takes a secret from the file ${name}, ${reason}`);
  const bytes = await bytesBelow([file === '-' ? '.' : dirname(file), ...secretFolder], name, wrong);
  // Editors and most commands end files with a line break.
  return decoded(bytes, name).replace(/\r?\n$/, '');
}

async function bytesBelow(
  folders: [string, ...string[]],
  name: string,
  wrong: (reason: string) => Failure,
): Promise<Buffer> {
  try {
    const path = pathBelow(folders, name);
    if (path === undefined)
      throw wrong('which is outside the folder of the manifest. Allow its folder with --secret-folder.');
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > maxBytes) throw wrong('which is not a file of at most 1 MiB.');
    return await readFile(path);
  } catch (error) {
    throw error instanceof Failure ? error : wrong(`which cannot be read: ${(error as Error).message}`);
  }
}
