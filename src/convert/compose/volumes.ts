import { type Files, pathIn } from '../files.ts';
import { isObject, type Leave, list, slug, type Yaml } from './file.ts';

const maxFileLength = 65_536;

/** The volumes of a service. Files of the folder become config files. */
export function volumesOf(service: Yaml, files: Files, leave: Leave): Record<string, object> {
  const volumes: Record<string, object> = {};
  const paths = new Set<string>();
  for (const each of list(service.volumes)) {
    const { source, path, type } = mountOf(each);
    if (!path?.startsWith('/') || paths.has(path)) {
      leave('LOST', 'volumes', 'Has no path of its own, and is not mounted.', JSON.stringify(each));
      continue;
    }
    const name = unused(slug(source && type === 'volume' ? source : path), volumes);
    if (type === 'tmpfs') volumes[name] = { path, type: 'memoryfs' };
    else if (type === 'volume') volumes[name] = { path, type: 'local' };
    else {
      const content = fileContent(files, source ?? '');
      if (content === undefined) {
        const reason = `Is not a text file of at most 64 KiB below the folder of the Compose file, and folders of the host cannot be mounted.`;
        leave('LOST', 'volumes', reason, source);
        continue;
      }
      volumes[name] = { path, type: 'config-file', fileContent: content };
    }
    paths.add(path);
  }
  return volumes;
}

function mountOf(each: Yaml): { source: string | undefined; path: string | undefined; type: string } {
  if (isObject(each)) return { source: each.source, path: each.target, type: each.type ?? 'volume' };
  const [first, second] = String(each).split(':');
  if (second === undefined) return { source: undefined, path: first, type: 'volume' };
  return { source: first, path: second, type: /^[./~]/.test(first!) ? 'bind' : 'volume' };
}

function unused(name: string, taken: object): string {
  let free = name;
  for (let index = 2; Object.hasOwn(taken, free); index++) free = `${name}-${index}`;
  return free;
}

function fileContent(files: Files, name: string): string | undefined {
  const path = pathIn('.', name);
  const text = path === undefined ? undefined : files.get(path);
  return typeof text === 'string' && text.length <= maxFileLength ? text : undefined;
}
