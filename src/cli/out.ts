import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { Failure } from './failure.ts';

/**
 * Writes a file as a whole or not at all, so that a full disk neither leaves half a file nor destroys the one that was there.
 * Nobody else can read it, because documents can have secrets.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const file = await stat(path).catch(() => undefined);
  // A device or a pipe cannot be replaced.
  const isReplaced = file?.isFile() ?? true;
  const target = file ? await realpath(path) : path;
  const written = isReplaced ? `${target}.${randomUUID()}.tmp` : target;
  try {
    await writeFile(written, text, { mode: 0o600, flag: isReplaced ? 'wx' : 'w' });
    if (isReplaced) await rename(written, target);
  } catch (error) {
    if (isReplaced) await rm(written, { force: true });
    const reason = (error as Error).message.replaceAll(written, path);
    throw new Failure(`${path} cannot be written: ${reason}`);
  }
}
