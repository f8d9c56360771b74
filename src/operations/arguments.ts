import { InvalidInputError, type Issue } from '../kernel/errors.ts';
import type { JsonSchema } from './json-schema.ts';

const whole = /^-?\d{1,15}$/;
const decimal = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** The arguments of a query from the parameters of an address: objects and lists are JSON. */
export function argumentsOf(parameters: URLSearchParams, schema: JsonSchema): Record<string, unknown> {
  const issues: Issue[] = [];
  const refuse = (name: string, message: string) => {
    issues.push({ path: [name], message });
    return [];
  };
  const given = [...new Set(parameters.keys())].flatMap((name) => {
    const [text, ...others] = parameters.getAll(name) as [string, ...string[]];
    if (others.length > 0) return refuse(name, 'Duplicate parameter. Send it only once');
    // Unknown arguments are refused when the operation is called.
    const isKnown = Object.hasOwn(schema.properties!, name);
    const read = isKnown ? readAs(text, schema.properties![name]!) : { value: text };
    return 'message' in read ? refuse(name, read.message) : [[name, read.value] as const];
  });
  if (issues.length > 0) throw new InvalidInputError(issues);
  return Object.fromEntries(given);
}

function readAs(text: string, { type }: JsonSchema): { value: unknown } | { message: string } {
  switch (type) {
    case 'integer':
      return whole.test(text) ? { value: Number(text) } : { message: 'Must be a whole number' };
    case 'number':
      return decimal.test(text) ? { value: Number(text) } : { message: 'Must be a number' };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { message: 'Must be true or false' };
    case 'string':
      return { value: text };
    default:
      try {
        return { value: JSON.parse(text) };
      } catch {
        return { message: 'Must be JSON, for example {"id":"…"}' };
      }
  }
}
