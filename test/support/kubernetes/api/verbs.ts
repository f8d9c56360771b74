import { type DeleteOptions, deleteCollection, deleteObject } from './deletes.ts';
import { apiVersionOf } from './kinds.ts';
import { patched } from './patches.ts';
import { type Representation, representationOf, represented, representedList } from './representations.ts';
import { type Matched, parsed, type Request, type Route } from './requests.ts';
import { dropUnknown, quantityError, schemaOf, typeError } from './schema.ts';
import { fieldTest, labelTest } from './selectors.ts';
import * as status from './status.ts';
import type { Store } from './store.ts';
import { onSubresource } from './subresources.ts';
import {
  apply,
  requireFresh,
  requireSameName,
  store as save,
  shown,
  type Target,
  updatedManagers,
} from './writes.ts';

/** Carries out a request for a resource that is no watch. */
export function carryOut(store: Store, request: Request, { query, ...route }: Matched): status.Answer {
  const { kind, namespace, name, subresource } = route;
  const dryRun = query.get('dryRun');
  if (dryRun && dryRun !== 'All') {
    throw status.invalidOptions(request.method === 'DELETE' ? 'DeleteOptions' : 'PatchOptions', {
      ...status.notSupported('dryRun', [dryRun], ['All']),
      message: `Unsupported value: []string{"${dryRun}"}: supported values: "All"`,
    });
  }
  const target: Target = {
    kind,
    namespace,
    name: name ?? '',
    manager: query.get('fieldManager') || 'unknown',
    isDryRun: dryRun === 'All',
  };
  const { method } = request;
  if (subresource) return onSubresource(store, request, target, subresource);
  if (method === 'GET' && name) return read(store, target, query, representationOf(request.accept));
  if (method === 'GET') return list(store, route, query, representationOf(request.accept));
  if (method === 'DELETE' && name) return remove(store, target, request, query);
  if (method === 'DELETE') {
    const answer = list(store, route, query, 'whole');
    deleteCollection(store, target, answer.body.items, parsed(request) ?? {});
    return answer;
  }
  if (method === 'POST' && !name) return create(store, request, target, query);
  if (method === 'PUT' && name) return update(store, target, parsed(request));
  if (method === 'PATCH' && name) return patch(store, request, target, query);
  throw status.notAllowed();
}

function requireVersion(store: Store, version: string | null): void {
  if (version === null || version === '') return;
  if (!/^\d+$/.test(version)) {
    throw status.failure(
      500,
      undefined,
      `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
    );
  }
  if (Number(version) <= store.version) return;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  const message = `Timeout: Too large resource version: ${version}, current: ${store.version}`;
  throw status.failure(504, 'Timeout', message, { causes, retryAfterSeconds: 1 }, { 'retry-after': '1' });
}

function read(
  store: Store,
  { kind, namespace, name }: Target,
  query: URLSearchParams,
  as: Representation,
): status.Answer {
  requireVersion(store, query.get('resourceVersion'));
  const found = store.get(kind, namespace, name);
  if (!found) throw status.notFound(kind, name);
  return { status: 200, body: represented(shown(found), as) };
}

function list(
  store: Store,
  { kind, namespace }: Route,
  query: URLSearchParams,
  as: Representation,
): status.Answer {
  const [version, token] = [query.get('resourceVersion'), query.get('continue')];
  if (version && token)
    throw status.badRequest('specifying resource version is not allowed when using continue');
  requireVersion(store, version);
  if (query.get('resourceVersionMatch') && !version) {
    throw status.invalidOptions(
      'ListOptions',
      status.refused(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden unless resourceVersion is provided',
      ),
    );
  }
  let from = 0;
  let at = store.version;
  if (token) {
    const [tokenVersion, tokenFrom] = Buffer.from(token, 'base64').toString().split(' ').map(Number);
    if (!Number.isInteger(tokenFrom))
      throw status.badRequest('continue key is not valid: illegal base64 data');
    [from, at] = [tokenFrom!, tokenVersion!];
    if (at < store.oldest) throw expired(store, from);
  }
  const tests = [labelTest(query.get('labelSelector')), fieldTest(kind.plural, query.get('fieldSelector'))];
  const found = store.entries(kind, namespace).filter(({ object }) => tests.every((test) => test(object)));
  const limit = version === '0' ? 0 : Number(query.get('limit') ?? 0);
  const until = limit > 0 ? from + limit : found.length;
  const isSelected = query.get('labelSelector') || query.get('fieldSelector');
  const more = until < found.length && {
    continue: Buffer.from(`${at} ${until}`).toString('base64'),
    ...(!isSelected && { remainingItemCount: found.length - until }),
  };
  const items = found.slice(from, until).map(shown);
  return { status: 200, body: representedList(kind, { resourceVersion: String(at), ...more }, items, as) };
}

const expired = (store: Store, from: number) => {
  const failure = status.failure(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result.',
  );
  failure.answer.body.metadata.continue = Buffer.from(`${store.version} ${from}`).toString('base64');
  return failure;
};

function remove(store: Store, target: Target, request: Request, query: URLSearchParams): status.Answer {
  const grace = query.get('gracePeriodSeconds');
  const options: DeleteOptions = {
    ...parsed(request),
    ...(query.get('propagationPolicy') && { propagationPolicy: query.get('propagationPolicy')! }),
    ...(grace && { gracePeriodSeconds: Number(grace) }),
  };
  // The pods of a Job stay, unless the request says that they go.
  if (target.kind.kind === 'Job') options.propagationPolicy ??= 'Orphan';
  return { status: 200, body: deleteObject(store, target, options) };
}

function create(store: Store, request: Request, target: Target, query: URLSearchParams): status.Answer {
  const { kind, namespace } = target;
  const body = parsed(request);
  const own = apiVersionOf(kind);
  if (body?.kind !== kind.kind || body.apiVersion !== own) {
    throw status.badRequest(
      `${body?.kind} in version "${body?.apiVersion}" cannot be handled as a ${kind.kind}`,
    );
  }
  const { metadata = {} } = body;
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw status.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (metadata.resourceVersion)
    throw status.failure(500, undefined, 'resourceVersion should not be set on objects to be created');
  const schema = schemaOf(kind);
  const unknown = dropUnknown(body, schema);
  if (unknown && query.get('fieldValidation') === 'Strict') {
    throw status.badRequest(
      `${kind.kind} in version "${own}" cannot be handled as a ${kind.kind}: strict decoding error: unknown field "${unknown}"`,
    );
  }
  const error = typeError(body, schema) ?? quantityError(body, schema);
  const isType = error && !error.includes('duplicate');
  if (isType && kind.isCustom)
    throw status.invalid(kind, metadata.name, [status.invalidValue('', 'null', error)]);
  if (isType)
    throw status.badRequest(`${kind.kind} in version "${own}" cannot be handled as a ${kind.kind}: ${error}`);
  const name =
    metadata.name ??
    (metadata.generateName && `${metadata.generateName}${Math.random().toString(36).slice(2, 7)}`);
  const before = name ? store.get(kind, namespace, name) : undefined;
  if (before) throw status.alreadyExists(kind, name, before.object.metadata.deletionTimestamp !== undefined);
  const object = { ...body, metadata: { ...metadata, name, ...(kind.isNamespaced && { namespace }) } };
  const named = { ...target, name: name ?? '' };
  return {
    status: 201,
    body: save(store, named, undefined, object, updatedManagers(named, undefined, object)),
  };
}

function update(store: Store, target: Target, body: any): status.Answer {
  const { kind, namespace, name } = target;
  const before = store.get(kind, namespace, name);
  requireSameName(target, body.metadata);
  if (!before) throw status.notFound(kind, name);
  requireFresh(target, body.metadata, before);
  if (kind.isCustom && !body.metadata.resourceVersion) {
    throw status.invalid(kind, name, [
      status.invalidValue('metadata.resourceVersion', '0x0', 'must be specified for an update'),
    ]);
  }
  return { status: 200, body: replace(store, target, { ...body, status: before.object.status }) };
}

function replace(store: Store, target: Target, next: any, subresource?: string): any {
  const before = store.get(target.kind, target.namespace, target.name)!;
  const object = { ...next, metadata: { ...next.metadata } };
  if (target.kind.isNamespaced) object.metadata.namespace = target.namespace;
  return save(store, target, before, object, updatedManagers(target, before, object, subresource));
}

function patch(store: Store, request: Request, target: Target, query: URLSearchParams): status.Answer {
  const { kind, namespace, name } = target;
  const type = request.contentType?.split(';')[0];
  const isForced = query.get('force') === 'true';
  const manager = query.get('fieldManager');
  if (manager && !/^[\x20-\x7e]+$/.test(manager)) {
    throw status.invalidOptions(
      'PatchOptions',
      status.invalidValue('fieldManager', JSON.stringify(manager), 'invalid character'),
    );
  }
  if (type === 'application/apply-patch+yaml') {
    const why = 'is required for apply patch';
    if (!manager) throw status.invalidOptions('PatchOptions', status.required('fieldManager', why));
    return apply(store, target, parsed(request), isForced);
  }
  if (isForced) {
    throw status.invalidOptions(
      'PatchOptions',
      status.refused('force', 'may not be specified for non-apply patch'),
    );
  }
  const isStrategic = type === 'application/strategic-merge-patch+json';
  const isKnown =
    ['application/merge-patch+json', 'application/json-patch+json'].includes(type!) ||
    (isStrategic && !kind.isCustom);
  if (!isKnown) {
    throw status.failure(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format', {});
  }
  const before = store.get(kind, namespace, name);
  if (!before) throw status.notFound(kind, name);
  const body = parsed(request);
  if (!Array.isArray(body) === (type === 'application/json-patch+json'))
    throw status.badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  const next = patched(before.object, body, isStrategic ? schemaOf(kind) : undefined);
  requireFresh(target, next.metadata, before);
  return { status: 200, body: replace(store, target, next) };
}
