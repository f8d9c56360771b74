import { allocate } from './addresses.ts';
import { problemsOfChange, requireExpandable } from './changes.ts';
import { addDefaults, normalQuantity } from './defaults.ts';
import { apiVersionOf, type Kind, kindNamed } from './kinds.ts';
import {
  conflictOf,
  fieldsOf,
  givenUp,
  type Manager,
  managedFields,
  merged,
  removeAt,
} from './managed-fields.ts';
import { requirePodSecurity } from './pod-security.ts';
import { requireQuota } from './quota.ts';
import { mapQuantities, quantityError, schemaOf, typeError } from './schema.ts';
import * as status from './status.ts';
import { now, type Store, type Stored } from './store.ts';
import { problemsOf } from './validation.ts';

/** A write to one object, as its request asks for it. */
export interface Target {
  kind: Kind;
  namespace: string | undefined;
  name: string;
  manager: string;
  isDryRun: boolean;
}

/** The fields of lists of managers, which do not change. */
const shownFields = new WeakMap<readonly Manager[], ReturnType<typeof managedFields>>();

/** The object as it is answered, with the managers of its fields. */
export const shown = ({ object, managers }: Pick<Stored, 'object' | 'managers'>) => {
  const fields = shownFields.get(managers) ?? managedFields(managers);
  shownFields.set(managers, fields);
  if (fields.length === 0) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: fields } };
};

function requireNamespace(store: Store, { kind, namespace, name }: Target): void {
  if (!kind.isNamespaced) return;
  const namespaces = kindNamed('Namespace');
  const found = store.get(namespaces, undefined, namespace!);
  if (!found) throw status.notFound(namespaces, namespace!);
  if (!found.object.metadata.deletionTimestamp) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw status.forbidden(kind, name, why, [cause]);
}

/** Checks and stores an object that is new (`before` is undefined) or changed. */
export function store(
  to: Store,
  target: Target,
  before: Stored | undefined,
  next: any,
  managers: Manager[],
): any {
  const { kind, name } = target;
  const object = structuredClone(next);
  delete object.metadata.managedFields;
  const isEncoded = (value: any) => /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
  if (kind.kind === 'Secret' && !Object.values(object.data ?? {}).every(isEncoded)) {
    throw byConverting(kind, target, 'illegal base64 data');
  }
  addDefaults(kind, object);
  if (before) {
    const kept = [
      'uid',
      'creationTimestamp',
      'generation',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
    ] as const;
    for (const each of kept) object.metadata[each] ??= before.object.metadata[each];
    object.metadata.resourceVersion = before.object.metadata.resourceVersion;
    for (const each of kept) if (object.metadata[each] === undefined) delete object.metadata[each];
  } else {
    requireNamespace(to, target);
    for (const each of ['resourceVersion', 'generation', 'creationTimestamp']) delete object.metadata[each];
    if (kind.kind === 'PersistentVolumeClaim') {
      object.metadata.finalizers = [
        ...new Set([...(object.metadata.finalizers ?? []), 'kubernetes.io/pvc-protection']),
      ];
    }
  }
  const causes = [
    ...(kind.kind === 'Service' ? allocate(to, object, before?.object) : []),
    ...(before ? problemsOfChange(kind, before.object, object) : []),
    ...problemsOf(kind, object),
  ];
  if (causes.length > 0) throw status.invalid(kind, object.metadata.name ?? name, causes);
  if (before) requireExpandable(kind, before.object, object, to.expandable);
  else {
    requirePodSecurity(to, kind, object);
    requireQuota(to, kind, object);
  }
  if (target.isDryRun) {
    if (!before)
      Object.assign(object.metadata, {
        creationTimestamp: now(),
        ...(kind.hasGeneration && { generation: 1 }),
      });
    return shown({ object, managers });
  }
  const saved = to.save(kind, object, managers);
  return shown({ object: saved, managers });
}

/** The failure of an apply that the server cannot read as the kind. */
function byConverting(kind: Kind, { namespace, name }: Target, why: string, what = 'convert new') {
  const version = kind.group ? apiVersionOf(kind) : `/${kind.version}`;
  const object = `${namespace ? `${namespace}/` : ''}${name}; ${version}, Kind=${kind.kind}`;
  return status.failure(500, undefined, `failed to ${what} object (${object}): ${why}`);
}

/** Checks what an apply says of itself. */
function requireOwn(target: Target, body: any, before: Stored | undefined): void {
  const { kind, namespace, name } = target;
  const own = apiVersionOf(kind);
  if (!body || typeof body !== 'object' || Array.isArray(body))
    throw status.badRequest('error decoding YAML: not an object');
  if (body.apiVersion !== own) {
    const told = `Specified patch version: ${body.apiVersion ?? ''}, expected: ${own}`;
    throw status.badRequest(`Incorrect version specified in apply patch. ${told}`);
  }
  if (body.kind !== kind.kind) {
    throw status.failure(500, undefined, 'failed to merge config: expected objects of the same type');
  }
  const { metadata = {} } = body;
  if (metadata.managedFields) throw status.badRequest('metadata.managedFields must be nil');
  if (metadata.name === undefined) {
    throw status.badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  requireSameName(target, metadata);
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw status.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (!before && metadata.uid) {
    throw status.conflict(
      kind,
      name,
      `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
    );
  }
  requireFresh(target, metadata, before);
}

export function requireSameName({ name }: Target, metadata: any): void {
  if (metadata.name === name) return;
  throw status.badRequest(
    `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
  );
}

export function requireFresh({ kind, name }: Target, metadata: any, before: Stored | undefined): void {
  const { resourceVersion } = metadata;
  if (before && resourceVersion && resourceVersion !== before.object.metadata.resourceVersion) {
    throw status.conflict(kind, name, status.isStale);
  }
}

/** Server-side apply. */
export function apply(to: Store, target: Target, body: any, isForced: boolean): any {
  const { kind, namespace, name, manager } = target;
  const before = to.get(kind, namespace, name);
  requireOwn(target, body, before);
  const schema = schemaOf(kind);
  const error = typeError(body, schema);
  if (error) throw byConverting(kind, target, error, 'create typed patch');
  const unreadable = quantityError(body, schema);
  if (unreadable) throw byConverting(kind, target, unreadable);
  const { status: _, ...applied } = structuredClone(body);
  mapQuantities(applied, schema, normalQuantity);
  if (kind.isNamespaced) applied.metadata.namespace = namespace;
  delete applied.metadata.resourceVersion;
  const fields = new Set(fieldsOf(applied, schema).keys());
  const isOwn = (each: Manager) => each.manager === manager && each.operation === 'Apply';
  const own = before?.managers.find(isOwn);
  let others = (before?.managers ?? []).filter((each) => !isOwn(each));
  const next = merged(before?.object ?? {}, applied, schema);
  const [was, is] = [fieldsOf(before?.object ?? {}, schema), fieldsOf(next, schema)];
  const conflicts = others.flatMap((owner) =>
    [...fields]
      .filter((path) => owner.fields.has(path) && was.get(path) !== is.get(path))
      .map((path) => ({ owner, path })),
  );
  if (conflicts.length > 0 && !isForced) throw conflictOf(conflicts);
  others = others.map((owner) => {
    const lost = new Set(conflicts.filter((each) => each.owner === owner).map(({ path }) => path));
    return lost.size
      ? { ...owner, fields: new Set([...owner.fields].filter((path) => !lost.has(path))) }
      : owner;
  });
  for (const path of givenUp(own?.fields ?? new Set(), fields, others)) removeAt(next, schema, path);
  const isSame = own && own.fields.size === fields.size && [...fields].every((path) => own.fields.has(path));
  const { apiVersion } = applied;
  const entry: Manager = { manager, operation: 'Apply', apiVersion, time: isSame ? own.time : now(), fields };
  return {
    status: before ? 200 : 201,
    body: store(to, target, before, next, [...others.filter(({ fields: { size } }) => size > 0), entry]),
  };
}

/** Who owns what after an update: the manager owns what it changed, and nobody owns what is gone. */
export function updatedManagers(
  target: Target,
  before: Stored | undefined,
  next: any,
  subresource?: string,
): Manager[] {
  const schema = schemaOf(target.kind);
  const [was, is] = [fieldsOf(before?.object ?? {}, schema), fieldsOf(next, schema)];
  const changed = [...is].filter(([path, value]) => was.get(path) !== value).map(([path]) => path);
  const managers = before?.managers ?? [];
  if (changed.length === 0 && is.size === was.size) return managers;
  const isOwn = (each: Manager) =>
    each.manager === target.manager && each.operation === 'Update' && each.subresource === subresource;
  const own = managers.find(isOwn);
  const entry: Manager = {
    manager: target.manager,
    operation: 'Update',
    apiVersion: apiVersionOf(target.kind),
    ...(subresource && { subresource }),
    time: now(),
    fields: new Set([...[...(own?.fields ?? [])].filter((path) => is.has(path)), ...changed]),
  };
  const others = managers
    .filter((each) => !isOwn(each))
    .map((each) => ({
      ...each,
      fields: new Set([...each.fields].filter((path) => is.has(path) && !changed.includes(path))),
    }));
  return [...others, entry].filter(({ fields }) => fields.size > 0);
}
