import { existsSync } from 'node:fs';

/** The folder of package.json: the checkout, or where Trellis is installed. The code is in its `src` or, built, in `dist`. */
function findRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href) throw new Error('there is no package.json beside the code of Trellis');
    folder = parent;
  }
  return folder;
}

const root = findRoot();
const isBuilt = !import.meta.url.endsWith('.ts');

/** The files that the build copies into `dist`, with their sources. */
const copies = {
  'operations/': 'src/operations/',
  'reference.md': 'docs/reference.md',
  'schema.graphql': 'schema.graphql',
  'graphiql.mjs': 'src/graphql/graphiql/browser.mjs',
  'rest-docs.mjs': 'src/rest/openapi/browser.mjs',
  'yaml-thread.mjs': 'src/domain/manifest/yaml-thread.mjs',
} as const;

/** A file or folder that the build copies beside the code. The sources read what it is copied from. */
export const copiedFile = (name: keyof typeof copies): URL =>
  new URL(isBuilt ? `dist/${name}` : copies[name], root);

/** A file or folder that the build makes. There may be none beside the sources. */
export const builtFile = (name: string): URL => new URL(`dist/${name}`, root);

/** A file or folder that is installed as it is, such as the migrations. */
export const installedFile = (path: string): URL => new URL(path, root);
