import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';

async function bytesOf({ stdin }: Context, file: string): Promise<Buffer> {
  if (file === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${error.message}`,
    );
  });
}

/**
 * Bytes as text. What is not UTF-8 would be sent, and stored, with other characters in its place. Without a byte order mark, as
 * bodies are read.
 */
export function decoded(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Failure(`${name === '-' ? 'Standard input' : name} is not UTF-8.`);
  }
}

/** The text of a file, or of standard input for `-`. */
export const textOf = async (context: Context, file: string): Promise<string> =>
  decoded(await bytesOf(context, file), file);

/**
 * The real path of what a document names, if it is below one of the folders. Undefined if it is outside, also by a link: a document
 * can be somebody else's. Throws if there is no such file.
 */
export function pathBelow(folders: readonly [string, ...string[]], name: string): string | undefined {
  const path = realpathSync(resolve(folders[0], name));
  const isBelow = (folder: string) => {
    const steps = relative(realpathSync(folder), path);
    return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
  };
  return folders.some(isBelow) ? path : undefined;
}
