/**
 * What is at a path: the text of a file, the names in a folder, or null for anything else, such as a file that is too large or not
 * text, and for what is outside of the folder of the input.
 */
type Entry = string | readonly string[] | null;

/** The files beside an input by path, such as `conf/nginx.conf`: a map, or what reads each file when it is asked for. */
export interface Files {
  get(path: string): Entry | undefined;
}

/** The path of `name` from the folder of the input, `.` for the folder itself. Undefined if it is outside. */
export function pathIn(folder: string, name: string): string | undefined {
  if (/^[/~\\]|^[a-z]:[/\\]/i.test(name)) return undefined;
  const steps: string[] = [];
  for (const step of `${folder}/${name}`.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join('/') || '.';
}

/** Texts by path as files, with the folders that they are in. Null is a file that is no text. */
export function filesOf(texts: Readonly<Record<string, string | null>>): Files {
  const paths = Object.keys(texts);
  return {
    get(path) {
      if (Object.hasOwn(texts, path)) return texts[path];
      const prefix = path === '.' ? '' : `${path}/`;
      const below = paths
        .filter((each) => each.startsWith(prefix))
        .map((each) => each.slice(prefix.length).split('/')[0]!);
      return below.length > 0 ? [...new Set(below)] : undefined;
    },
  };
}

/** The text of a file. Null if it is none. */
export function textIn(bytes: ArrayBuffer | Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
