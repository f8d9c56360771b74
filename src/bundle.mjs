// Bundles a program into one file, with the licenses of the packages in it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The license of each package in a bundle. */
function licensesOf(metafile) {
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort().map((folder) => {
    const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${folder} has no license file`);
    const text = readFileSync(join(root, folder, file), 'utf8')
      .replaceAll('*/', '* /')
      .trim();
    return `/*!\n${folder.replace(/^.*node_modules\//, '')}\n\n${text}\n*/\n`;
  });
}

export async function bundle({ entry, outfile, shebang = '', ...options }) {
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    absWorkingDir: root,
    logLevel: 'error',
    metafile: true,
    write: false,
    ...options,
  });
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, `${shebang}${licensesOf(metafile).join('')}${outputFiles[0].text}`);
}
