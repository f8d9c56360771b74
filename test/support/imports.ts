import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** One source file imports another. Paths are relative to `src`. */
interface Import {
  file: string;
  target: string;
}

/** The sources of the server, the console and the command line, without generated files. */
export const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('generated'));

export const textOf = (file: string) => readFileSync(join(src, file), 'utf8');

/** The path of what `file` imports by a relative specifier. */
export const targetOf = (file: string, specifier: string) =>
  relative(src, resolve(dirname(join(src, file)), specifier)).replaceAll('\\', '/');

/** Every import of one source file by another: dynamic imports and imports of types alone are imports as well. */
export const everyImport: Import[] = sources.flatMap((file) =>
  [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, specifier]) => ({ file, target: targetOf(file, specifier!) }))
    .filter(({ target }) => !target.includes('generated')),
);

/** The first import cycle that is found, as the files on its way. */
export function findCycle(imports: readonly Import[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target]);
  const done = new Set<string>();
  const visit = (file: string, way: string[]): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of targets.get(file) ?? []) {
      const cycle = visit(target, [...way, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/**
 * A file imports from its own folder and from the lines before it. A file beside the folders is a folder of its own. Those of
 * a line do not import each other.
 */
export type Order = readonly (readonly string[])[];

/** The files of `root` that are in no line of the order, and the imports against it. Paths are relative to `root`. */
export function compare(root: string, order: Order) {
  const within = (file: string) => file.startsWith(`${root}/`);
  const pathOf = (file: string) => file.slice(root.length + 1);
  const folderOf = (path: string) => path.split('/')[0]!;
  const rankOf = (path: string) => order.findIndex((names) => names.includes(folderOf(path)));
  const paths = sources.filter(within).map(pathOf);
  const imports = everyImport
    .filter(({ file, target }) => within(file) && within(target))
    .map(({ file, target }) => ({ file: pathOf(file), target: pathOf(target) }));
  const wrong = imports.filter(
    ({ file, target }) => folderOf(file) !== folderOf(target) && rankOf(target) >= rankOf(file),
  );
  return { unplaced: paths.filter((path) => rankOf(path) < 0), imports, wrong };
}
