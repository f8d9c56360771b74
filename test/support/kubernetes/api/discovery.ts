import { type Kind, kinds } from './kinds.ts';
import { unknownPath } from './status.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const groupOf = (name: string, version: string) => {
  const of = { groupVersion: `${name}/${version}`, version };
  return { name, versions: [of], preferredVersion: of };
};

/** What a path beside the resources answers; undefined if it is none of them. */
export function discovery(path: string, isServed: (kind: Kind) => boolean): any {
  const served = kinds.filter(isServed);
  const groups = [...new Map(served.filter(({ group }) => group).map((each) => [each.group, each.version]))];
  if (path === '/version') return { major: '1', minor: '26', gitVersion: 'v1.26.0', platform: 'linux/amd64' };
  if (['/readyz', '/livez', '/healthz'].includes(path)) return 'ok';
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.map(([name, version]) => groupOf(name, version)),
    };
  }
  const group = groups.find(([name]) => path === `/apis/${name}`);
  if (group) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(...group) };
  const groupVersion = /^\/apis?\/(.+)$/.exec(path)?.[1];
  const found = served.filter(
    (each) => (each.group ? `${each.group}/${each.version}` : each.version) === groupVersion,
  );
  if (found.length === 0) {
    if (/^\/apis?\/[^/]+(\/[^/]+)?$/.test(path)) throw unknownPath();
    return undefined;
  }
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: found.map(({ plural, kind, isNamespaced }) => ({
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced: isNamespaced,
      kind,
      verbs,
    })),
  };
}
