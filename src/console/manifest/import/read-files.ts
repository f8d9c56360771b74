import { textIn } from '../../../convert/files.ts';

/** What a component takes over of a file. */
const maxFileBytes = 65_536;
const maxSourceBytes = 1_048_576;
/** What the tab stores. */
const maxLength = 2_000_000;
const maxFiles = 500;
/** Folders that no application names. */
const unread = new Set(['.git', 'node_modules']);

interface ReadFile {
  name: string;
  text: string | null;
}

/** There is more than the page can work with. */
export class TooMuch extends Error {}

/** Reads files that were chosen. */
export const readChosen = (list: Iterable<File>): Promise<ReadFile[]> =>
  readAll([...list].map((file) => ({ name: file.name, file })));

/** Reads what was dropped. Of a single folder, the paths of the files begin in it, and its name is returned. */
export async function readDropped({
  items,
  files,
}: DataTransfer): Promise<{ files: ReadFile[]; folder?: string }> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [only] = entries;
  if (!only) return { files: await readChosen(files) };
  const isFolder = entries.length === 1 && only.isDirectory;
  const found: { name: string; file: File }[] = [];
  for (const entry of isFolder ? await entriesIn(only as FileSystemDirectoryEntry) : entries)
    await collect(entry, '', found);
  return { files: await readAll(found), ...(isFolder && { folder: only.name }) };
}

async function collect(
  entry: FileSystemEntry,
  folder: string,
  found: { name: string; file: File }[],
): Promise<void> {
  if (unread.has(entry.name)) return;
  const name = `${folder}${entry.name}`;
  if (entry.isDirectory) {
    for (const inner of await entriesIn(entry as FileSystemDirectoryEntry))
      await collect(inner, `${name}/`, found);
    return;
  }
  if (found.length === maxFiles) throw new TooMuch();
  const file = await new Promise<File>((resolve, reject) =>
    (entry as FileSystemFileEntry).file(resolve, reject),
  );
  found.push({ name, file });
}

/** A reader returns some entries each time, and none at its end. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function readAll(found: readonly { name: string; file: File }[]): Promise<ReadFile[]> {
  if (found.length > maxFiles) throw new TooMuch();
  let length = 0;
  const files: ReadFile[] = [];
  for (const { name, file } of found) {
    const most = /\.(ya?ml|json)$/i.test(name) ? maxSourceBytes : maxFileBytes;
    const text = file.size > most ? null : textIn(await file.arrayBuffer());
    length += text?.length ?? 0;
    if (length > maxLength) throw new TooMuch();
    files.push({ name, text });
  }
  return files;
}
