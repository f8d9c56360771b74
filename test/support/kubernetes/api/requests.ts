import { parse } from 'yaml';
import { type Attempt, isAllowed, requireAllowed, requirePath, type User } from './access.ts';
import { discovery } from './discovery.ts';
import { type Kind, kinds } from './kinds.ts';
import * as status from './status.ts';

export interface Request {
  method: string;
  /** With its query. */
  path: string;
  contentType?: string | undefined;
  /** The header. */
  accept?: string | undefined;
  /** As it was sent, or as an object. */
  body?: any;
}

export interface Route {
  kind: Kind;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
}

/** What a path of resources stands for; undefined if there is no such kind. */
function routeOf(
  path: string,
  isServed: (kind: Kind) => boolean,
): { attempt: Omit<Attempt, 'verb'>; kind: Kind | undefined; subresource: string | undefined } | undefined {
  const found = /^\/(?:api|apis\/([^/]+))\/(v[^/]+)\/(.+)$/.exec(path);
  if (!found) return undefined;
  const [, group = '', version, rest] = found;
  const steps = rest!.split('/').map(decodeURIComponent);
  const isIn = steps[0] === 'namespaces' && steps.length > 2;
  const namespace = isIn ? steps[1] : undefined;
  const [plural, name, subresource] = isIn ? steps.slice(2) : steps;
  const kind = kinds.find(
    (each) => each.plural === plural && each.group === group && each.version === version && isServed(each),
  );
  const isOwn = kind?.kind === 'Namespace' ? name : namespace;
  const resource = subresource ? `${plural}/${subresource}` : plural!;
  return { attempt: { group, resource, namespace: isOwn, name }, kind, subresource };
}

/** The verb of a request for a resource, as rules name it. */
function verbOf({ method }: Request, name: string | undefined, query: URLSearchParams): string {
  if (method === 'GET') return isWatch(query) ? 'watch' : name ? 'get' : 'list';
  if (method === 'DELETE') return name ? 'delete' : 'deletecollection';
  return { POST: 'create', PUT: 'update', PATCH: 'patch' }[method] ?? method.toLowerCase();
}

export const isWatch = (query: URLSearchParams) => ['true', '1'].includes(query.get('watch') ?? '');

export interface Matched extends Route {
  query: URLSearchParams;
}

/** Finds what a request is for, and checks that the user may do it. Answers what is no resource. */
export function match(
  request: Request,
  user: User,
  isServed: (kind: Kind) => boolean,
): Matched | status.Answer {
  const url = new URL(request.path, 'https://server');
  const route = routeOf(url.pathname, isServed);
  if (!route) {
    requirePath(user, url.pathname);
    const body = discovery(url.pathname, isServed);
    if (body === undefined) throw status.unknownPath();
    return { status: 200, body };
  }
  const { attempt, kind, subresource } = route;
  if (attempt.group === 'authorization.k8s.io' && attempt.resource === 'selfsubjectaccessreviews') {
    return review(parsed(request), user);
  }
  requireAllowed(user, { ...attempt, verb: verbOf(request, attempt.name, url.searchParams) });
  if (!kind) {
    throw kinds.some((each) => each.group === attempt.group && isServed(each))
      ? status.unknownResource()
      : status.unknownPath();
  }
  const namespace = kind.isNamespaced ? attempt.namespace : undefined;
  return { kind, namespace, name: attempt.name, subresource, query: url.searchParams };
}

function review(body: any, user: User): status.Answer {
  const { resourceAttributes: of, nonResourceAttributes } = body.spec ?? {};
  if (!of === !nonResourceAttributes) {
    const cause = status.invalidValue(
      'spec.resourceAttributes',
      '"null"',
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
    throw status.invalid({ kind: '', group: 'authorization.k8s.io' } as Kind, '', [cause]);
  }
  const resource = of?.subresource ? `${of.resource}/${of.subresource}` : of?.resource;
  const allowed = isAllowed(user, {
    verb: of?.verb,
    group: of?.group ?? '',
    resource,
    namespace: of?.namespace,
  });
  const metadata = { creationTimestamp: null };
  const reason = 'RBAC: allowed by ClusterRoleBinding';
  return { status: 201, body: { ...body, metadata, status: { allowed, ...(allowed && { reason }) } } };
}

function parsedYaml(text: string): any {
  try {
    // Most clients send YAML as JSON, which is much faster to parse.
    return JSON.parse(text);
  } catch {
    return parse(text);
  }
}

/** The body of a request. */
export function parsed({ body, contentType }: Request): any {
  if (typeof body !== 'string') return structuredClone(body);
  if (body === '') return undefined;
  try {
    return contentType?.includes('yaml') ? parsedYaml(body) : JSON.parse(body);
  } catch (error) {
    const isYaml = contentType?.includes('yaml');
    throw status.badRequest(
      `${isYaml ? 'error decoding YAML' : "couldn't get version/kind; json parse error"}: ${(error as Error).message}`,
    );
  }
}
