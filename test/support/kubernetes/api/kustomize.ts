import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { kindSchema, resolve, type Schema, schemaOfField, shapeOf } from './schema.ts';

/** What of a kustomization is composed here. Another field is an error. */
const fields = ['apiVersion', 'kind', 'resources', 'patches', 'images'];

const identity = ({ apiVersion, kind, metadata }: any) =>
  [apiVersion, kind, metadata.namespace ?? '', metadata.name].join(' ');

/** The documents of a file, each of which has to be an object of a cluster. */
export function readDocuments(path: string): any[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new Error(`${path}: ${problem.message}`);
    return document.toJS();
  });
}

/** A strategic merge patch: lists with a merge key are merged by it, and all others replaced. */
function merge(value: any, patch: any, schema: Schema, path: string): any {
  if (Array.isArray(patch)) {
    const { type, keys } = shapeOf(schema);
    const key = schema['x-kubernetes-patch-merge-key'] ?? keys[0];
    if (type === 'atomic' || !key || !Array.isArray(value)) return patch;
    const items = resolve(schema.items);
    const rest = patch.filter((item) => !value.some((each) => each[key] === item[key]));
    return [
      ...value.map((each) => {
        const own = patch.find((item) => item[key] === each[key]);
        return own ? merge(each, own, items, `${path}[${each[key]}]`) : each;
      }),
      ...rest,
    ];
  }
  if (patch === null || typeof patch !== 'object' || typeof value !== 'object' || value === null)
    return patch;
  const merged = { ...value };
  for (const [name, given] of Object.entries(patch)) {
    if (name.startsWith('$')) throw new Error(`${path}.${name} is not supported`);
    if (given === null) delete merged[name];
    else if (value[name] === undefined) merged[name] = given;
    else merged[name] = merge(value[name], given, schemaOfField(schema, name) ?? {}, `${path}.${name}`);
  }
  return merged;
}

/** Sets the name and the tag of images, wherever containers have them. */
function withImages(object: any, images: readonly any[]): any {
  const spec = object.spec?.template?.spec;
  if (!spec) return object;
  const containers = spec.containers.map((container: any) => {
    const [name] = container.image.split(/[:@]/) as [string];
    const found = images.find((each) => each.name === name);
    if (!found) return container;
    const tag = found.newTag ?? container.image.slice(name.length + 1);
    return { ...container, image: `${found.newName ?? name}:${tag}` };
  });
  return {
    ...object,
    spec: { ...object.spec, template: { ...object.spec.template, spec: { ...spec, containers } } },
  };
}

/** The objects of a kustomization, as `kubectl kustomize` prints them, of what it uses here. */
export function compose(folder: string): any[] {
  const given = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  for (const name of Object.keys(given)) {
    if (!fields.includes(name)) throw new Error(`${folder} uses ${name}, which is not composed here`);
  }
  let objects: any[] = given.resources.flatMap((name: string) =>
    name.endsWith('.yaml') ? readDocuments(join(folder, name)) : compose(join(folder, name)),
  );
  const names = objects.map(identity);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`${folder} has ${twice} twice`);
  for (const { path, ...more } of given.patches ?? []) {
    if (Object.keys(more).length > 0) throw new Error(`${folder} has a patch with a target`);
    for (const patch of readDocuments(join(folder, path))) {
      const target = identity(patch);
      if (!names.includes(target)) throw new Error(`${folder}/${path} is for ${target}, which is not there`);
      const schema = kindSchema(patch.kind)!;
      objects = objects.map((each) =>
        identity(each) === target ? merge(each, patch, schema, patch.kind) : each,
      );
    }
  }
  return objects.map((object) => withImages(object, given.images ?? []));
}
