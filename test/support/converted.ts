import { convertCompose } from '../../src/convert/compose/convert.ts';
import { filesOf } from '../../src/convert/files.ts';

export type ComposeGiven = Parameters<typeof convertCompose>[0];

/** The size of components for which none is written. */
export const anySize = {
  ...{ cpuMillicores: 500, cpuLimitMillicores: 'none' },
  ...{ memoryMiB: 512, memoryLimitMiB: 'none' },
};

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
