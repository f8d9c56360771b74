import { merged } from './managed-fields.ts';
import { failure } from './status.ts';

/** The object after a JSON Patch, a merge patch or, with a schema, a strategic one. */
export function patched(object: any, body: any, schema: object | undefined): any {
  if (!Array.isArray(body)) return schema ? merged(object, body, schema) : mergePatch(object, body);
  const next = structuredClone(object);
  for (const { op, path, value } of body) {
    const steps = path
      .slice(1)
      .split('/')
      .map((step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop();
    const at = steps.reduce((found: any, step: string) => found?.[step], next);
    const isBad =
      (op === 'remove' && at?.[last] === undefined) ||
      (op === 'test' && JSON.stringify(at?.[last]) !== JSON.stringify(value));
    if (isBad || !at)
      throw failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
    if (op === 'remove') Array.isArray(at) ? at.splice(Number(last), 1) : delete at[last];
    else if (op !== 'test') at[last] = value;
  }
  return next;
}

function mergePatch(object: any, body: any): any {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const next: any =
    object !== null && typeof object === 'object' && !Array.isArray(object) ? { ...object } : {};
  for (const [name, value] of Object.entries(body)) {
    if (value === null) delete next[name];
    else next[name] = mergePatch(next[name], value);
  }
  return next;
}
