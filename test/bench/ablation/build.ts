import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Plugin, transform } from 'esbuild';
import type { Variant } from './variants.ts';

/**
 * Builds a variant of the Trellis of a working copy, and resolves with the folder that has its `dist`. A text that is not
 * found, or a module that is not built, is an error: the variant would be measured unchanged.
 */
export async function buildVariant(trellis: string, { name, patches = [] }: Variant): Promise<string> {
  const folder = join(trellis, 'node_modules/.cache/trellis-ablation', name.replaceAll(' ', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const each of ['package.json', 'prisma']) symlinkSync(join(trellis, each), join(folder, each));
  const missing = new Map(patches.map(({ file, replace }) => [join(trellis, file), replace]));
  const patch: Plugin = {
    name: 'patch',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const replace = missing.get(path);
        if (!replace) return undefined;
        missing.delete(path);
        let { code } = await transform(await readFile(path, 'utf8'), { loader: 'ts', target: 'node20' });
        for (const [from, to] of replace) {
          const parts = code.split(from);
          if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times, not once: ${from}`);
          code = parts.join(to);
        }
        return { contents: code, loader: 'js' };
      });
    },
  };
  const { buildInto } = await import(join(trellis, 'src/build/programs.mjs'));
  await buildInto(join(folder, 'dist'), [patch]);
  for (const path of missing.keys()) throw new Error(`--ablation: ${name}: ${path} is not built`);
  return folder;
}
