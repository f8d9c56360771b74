import { convertCompose } from '../../src/convert/compose/convert.ts';
import type { Files } from '../../src/convert/files.ts';

export type ComposeGiven = Parameters<typeof convertCompose>[0];

/** Files by path, with the folders that they are in. */
function filesOf(files: Readonly<Record<string, string>>): Files {
  const paths = Object.keys(files);
  return {
    get(path) {
      if (Object.hasOwn(files, path)) return files[path];
      const prefix = path === '.' ? '' : `${path}/`;
      const below = paths
        .filter((each) => each.startsWith(prefix))
        .map((each) => each.slice(prefix.length).split('/')[0]!);
      return below.length > 0 ? [...new Set(below)] : undefined;
    },
  };
}

/** Converts the files that are named, or `compose.yaml`. Each note is a line. */
export function converted(
  files: Record<string, string>,
  options: Partial<ComposeGiven> & { names?: string[] } = {},
) {
  const { names = ['compose.yaml'], ...given } = options;
  const sources = names.map((name) => ({ name, text: files[name]! }));
  const { manifest, notes } = convertCompose({
    sources,
    files: filesOf(files),
    env: {},
    folderName: 'folder',
    ...given,
  });
  const told = notes.map(({ grade, subject, key, detail }) =>
    [grade, subject, key, detail].filter((part) => part !== null && part !== undefined).join(' '),
  );
  return { ...manifest, told };
}
