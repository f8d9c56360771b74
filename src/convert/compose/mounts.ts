import { isMapping, isTrue, textIn, type Value } from '../yaml.ts';

export interface Mount {
  source: string | undefined;
  path: string | undefined;
  type: string;
  isReadOnly: boolean;
  /** A folder inside of the volume. */
  subpath: string | undefined;
}

/** A volume of a service, in the short or the long form. @see https://github.com/compose-spec/compose-spec/blob/main/05-services.md#volumes */
export function mountOf(item: Value): Mount {
  if (isMapping(item)) {
    const { source, target, type, read_only, volume } = item;
    return {
      source: textIn(source),
      path: cleaned(textIn(target)),
      type: textIn(type) ?? 'volume',
      isReadOnly: isTrue(read_only),
      subpath: isMapping(volume) ? textIn(volume.subpath) : undefined,
    };
  }
  // A letter before the first colon can be a drive of Windows, or the name of a volume.
  const parts = (textIn(item) ?? '').match(/^[a-z]:(?:\\|\/[^:]*(?=:\/))[^:]*|[^:]+/gi) ?? [];
  const [source, path, mode = ''] = parts.length > 1 ? parts : [undefined, parts[0]];
  return {
    source,
    path: cleaned(path),
    type: source && /^[./~\\]|^[a-z]:[/\\]/i.test(source) ? 'bind' : 'volume',
    isReadOnly: mode.split(',').includes('ro'),
    subpath: undefined,
  };
}

const cleaned = (path: string | undefined) =>
  path === undefined || path === '/' ? path : path.replace(/\/{2,}/g, '/').replace(/\/\.?$/, '');
