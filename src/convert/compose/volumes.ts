import { type Files, pathIn } from '../files.ts';
import { unused } from '../names.ts';
import { isMapping, listOf, type Mapping, mappingOf, textIn } from '../yaml.ts';
import { dataPathOf } from './images.ts';
import { textOf } from './merge.ts';
import type { Component, ServiceTell, VolumeEntry } from './model.ts';
import { type Mount, mountOf } from './mounts.ts';
import { slug } from './values.ts';

const maxFileLength = 65_536;
/** A folder with more is not one of settings. */
const maxFolder = { files: 30, length: 262_144 };

/** What a component uses of the host: a folder, or a volume, which others can use as well. */
export interface Storage {
  /** Its name, or the path of the folder. */
  source: string;
  /** The names of the volumes of the component that it has become. */
  name: string;
}

interface Around {
  files: Files;
  folder: string | undefined;
  /** The folder that the image is built from. */
  context: string | undefined;
  model: Mapping;
  getVariable(name: string): string | undefined;
  tell: ServiceTell;
}

/** Folders and files of the host that have no data of an application. */
const ofHost =
  /^\/(var\/run|run|proc|sys|dev|etc|lib\/modules|usr|boot|tmp\/\.X11-unix|var\/lib\/docker|var\/log)(\/|$)/;
const fileLike = /[^/]\.\w{1,10}$|\.sock$/;

/** Gives a component the volumes of its service. Text files beside the Compose file become config files. */
export function takeVolumes(service: Mapping, component: Component, around: Around): Storage[] {
  const volumes = new Map<string, VolumeEntry>();
  const storages: Storage[] = [];
  const add = (wish: string, entry: VolumeEntry) => {
    const name = unused(slug(wish), volumes);
    volumes.set(name, entry);
    return name;
  };
  const isTaken = (path: string) => [...volumes.values()].some((entry) => entry.path === path);
  const { tell } = around;
  for (const mount of [...listOf(service.volumes).map(mountOf), ...listOf(service.tmpfs).map(tmpfsOf)]) {
    const { path, source, type } = mount;
    if (!path?.startsWith('/') || isTaken(path)) {
      tell('LOST', 'volumes', 'Has no path of its own, and is not mounted.', path ?? source ?? '?');
    } else if (type === 'tmpfs') add(path, { path, type: 'memoryfs' });
    else if (type === 'volume') {
      const name = add(source ?? path, { path, type: 'local' });
      if (source) storages.push({ source, name });
      tell(
        'INFO',
        'volumes',
        'Volumes are empty at first: nothing that the image has at their paths is copied to them.',
      );
      if (mount.isReadOnly) tell('INFO', 'volumes', 'Instances can write to all of their volumes.', path);
    } else if (type === 'bind')
      takeBind(mount as Mount & { path: string }, component.image, add, storages, around);
    else tell('LOST', 'volumes', 'Mounts of this type do not exist here.', `${type} ${path}`);
  }
  for (const item of listOf(service.configs))
    takeConfig(textOf(isMapping(item) ? (item.source ?? null) : item), mappingOf(item), add, around);
  const data = component.variables?.PGDATA ?? dataPathOf(component.image);
  const entries = [...volumes.values()];
  if (
    data &&
    !entries.some(({ path, type }) => type === 'local' && (isBelow(path, data) || isBelow(data, path)))
  ) {
    const isMentioned = entries.some(({ path, type }) => type !== 'local' && path === data);
    if (!isMentioned) {
      add('data', { path: data, type: 'local' });
      tell('INFO', 'volumes', 'Databases for which no volume is written get one for their data.', data);
    }
  }
  if (volumes.size > 0) component.volumes = Object.fromEntries(volumes);
  return storages;
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

function tmpfsOf(item: Parameters<typeof mountOf>[0]): Mount {
  const [path] = textOf(item).split(':');
  return { source: undefined, path, type: 'tmpfs', isReadOnly: false, subpath: undefined };
}

type Add = (wish: string, entry: VolumeEntry) => string;

/** A folder or file of the host: the files of a folder of settings, or a volume for a folder of data. */
function takeBind(
  { source = '', path, isReadOnly }: Mount & { path: string },
  image: string,
  add: Add,
  storages: Storage[],
  { files, folder, context, tell }: Around,
): void {
  const local = localPath(source, folder);
  const entry = local === undefined ? null : files.get(local);
  const detail = `${source}:${path}`;
  if (
    local !== undefined &&
    context !== undefined &&
    (context === '.' ? local === '.' : isBelow(local, context))
  ) {
    tell(
      'CHANGED',
      'volumes',
      'The folder that an image is built from is not mounted: the image has what is in it.',
      detail,
    );
    return;
  }
  if (typeof entry === 'string') {
    if (entry.length > maxFileLength)
      tell('LOST', 'volumes', 'Files of more than 64 KiB are not taken over.', detail);
    else {
      add(path, { path, type: 'config-file', fileContent: entry });
      if (!isReadOnly)
        tell('INFO', 'volumes', 'Instances cannot write to files that are taken over.', detail);
    }
    return;
  }
  const isFolder = Array.isArray(entry);
  const texts = isFolder && entry.length > 0 ? textsBelow(files, local!) : undefined;
  if (texts) {
    for (const [name, content] of texts) {
      add(`${path}/${name}`, { path: `${path}/${name}`, type: 'config-file', fileContent: content });
    }
    if (!isReadOnly)
      tell(
        'CHANGED',
        'volumes',
        'Files of the folder are taken over, and instances cannot write to it.',
        detail,
      );
    return;
  }
  const isFile = entry === null && local !== undefined;
  const data = dataPathOf(image);
  const holdsData =
    (data !== undefined && (isBelow(path, data) || isBelow(data, path))) ||
    /^\/(data|var\/lib)(\/|$)/.test(path);
  const isData =
    !isReadOnly && !isFile && !ofHost.test(source) && !fileLike.test(path) && !fileLike.test(source);
  if (entry === undefined && isData) {
    storages.push({ source: `./${local}`, name: add(path, { path, type: 'local' }) });
  } else if (isData && (holdsData || local === undefined || (isFolder && entry.length === 0))) {
    const from = local === undefined ? source : `./${local}`;
    storages.push({ source: from, name: add(path, { path, type: 'local' }) });
    if (!(isFolder && entry.length === 0))
      tell('LOST', 'volumes', 'Folders of the host become volumes, which are empty at first.', detail);
  } else if (entry === undefined) {
    tell('LOST', 'volumes', 'Is not beside the Compose file, and is not mounted.', detail);
  } else if (local === undefined) {
    tell('LOST', 'volumes', 'Is outside of the folder of the Compose file, and is not mounted.', detail);
  } else if (isFolder) {
    const reason = `Folders of the host are not mounted, unless they have at most ${maxFolder.files} small text files.`;
    tell('LOST', 'volumes', reason, detail);
  } else tell('LOST', 'volumes', 'Is no text file, or a link to the outside, and is not mounted.', detail);
}

/** The path of a source below the folder of the Compose file. A resolved file has absolute paths. */
function localPath(source: string, folder: string | undefined): string | undefined {
  if (folder && isBelow(source, folder)) return pathIn('', `.${source.slice(folder.length)}`);
  return pathIn('', source);
}

/** The text files of a folder of settings, by path below it. Undefined if it has others, or too many. */
function textsBelow(files: Files, folder: string): [name: string, text: string][] | undefined {
  const texts: [string, string][] = [];
  let length = 0;
  const visit = (path: string, prefix: string): boolean => {
    const entry = files.get(path);
    if (typeof entry === 'string') {
      length += entry.length;
      texts.push([prefix, entry]);
      return entry.length <= maxFileLength && length <= maxFolder.length && texts.length <= maxFolder.files;
    }
    if (!Array.isArray(entry)) return false;
    return entry.every((name: string) => visit(`${path}/${name}`, prefix ? `${prefix}/${name}` : name));
  };
  return visit(folder, '') && texts.length > 0 ? texts : undefined;
}

/** A config of the file as a file of the component. */
function takeConfig(
  name: string,
  { target }: Mapping,
  add: Add,
  { files, model, getVariable, tell }: Around,
): void {
  const config = mappingOf(mappingOf(model.configs)[name]);
  const path = textIn(target) ?? `/${name}`;
  const from = textIn(config.file) && pathIn('', textIn(config.file)!);
  const entry = from ? files.get(from) : undefined;
  const variable = textIn(config.environment);
  const content = textIn(config.content) ?? (variable ? getVariable(variable) : undefined) ?? entry;
  if (typeof content !== 'string' || content.length > maxFileLength) {
    tell(
      'LOST',
      'configs',
      'Configs that are not text of at most 64 KiB beside the Compose file are not taken over.',
      name,
    );
  } else add(path, { path, type: 'config-file', fileContent: content });
}
