import { restPath } from '../../src/rest/route.ts';
import type { Example } from './rest-examples.ts';

/** One request as it goes out: what is wrong with it has been put in already. */
export interface Request {
  method: string;
  /** From `/openapi/v1` on, encoded. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** What is put into a good example; fields and names are chosen by number, so that a step shrinks on its own. */
export type Step =
  | { do: 'field'; at: number; value: unknown }
  | { do: 'drop'; at: number }
  | { do: 'extra'; name: string; value: unknown }
  | { do: 'deep'; at: number; levels: number; open: '[' | '{"a":' }
  | { do: 'body'; text: string }
  | { do: 'cut'; at: number; length: number; filling: string }
  | { do: 'param'; at: number; value: string }
  | { do: 'query'; name: string; value: string }
  | { do: 'again'; at: number }
  | { do: 'escape'; text: string }
  | { do: 'method'; method: string }
  | { do: 'header'; name: string; value: string };

/** As a part of an address; half a pair becomes what decoders make of it. */
export const encoded = (text: string) => encodeURIComponent(Buffer.from(text).toString());

/** Every place inside of a value, as the steps that lead there. */
function placesIn(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, each]) => placesIn(each, [...at, name]))];
}

/** Sets, or for undefined drops, what stands at a place; the place itself may be gone by an earlier step. */
function put(body: any, place: string[], value: unknown): any {
  if (place.length === 0) return value;
  const parent = place.slice(0, -1).reduce((each, step) => each?.[step], body);
  if (typeof parent !== 'object' || parent === null) return body;
  if (value === undefined) delete parent[place.at(-1)!];
  else parent[place.at(-1)!] = value;
  return body;
}

/** The request that an example becomes by its steps. */
export function spoiled({ route, params, query, body: good }: Example, steps: Step[]): Request {
  let body = structuredClone(good);
  let method = route.method.toUpperCase();
  const search = Object.entries(query);
  const inPath = { ...params };
  const headers: Record<string, string> = {};
  const onText: ((text: string) => string)[] = [];
  let inEscape = '';
  const placeOf = (number: number) => {
    const places = placesIn(body);
    return places[number % places.length]!;
  };
  for (const [index, step] of steps.entries()) {
    if (step.do === 'field') body = put(body, placeOf(step.at), structuredClone(step.value));
    else if (step.do === 'drop') body = put(body, placeOf(step.at), undefined);
    else if (step.do === 'extra' && typeof body === 'object')
      body = put(body, [step.name], step.value) ?? body;
    else if (step.do === 'deep') {
      const close = step.open === '[' ? ']' : '}';
      const deep = `${step.open.repeat(step.levels)}1${close.repeat(step.levels)}`;
      body = put(body, placeOf(step.at), `@${index}@`);
      onText.push((text) => text.replace(`"@${index}@"`, deep));
    } else if (step.do === 'body') onText.push(() => step.text);
    else if (step.do === 'cut') {
      onText.push((text) => {
        const start = step.at % (text.length + 1);
        return text.slice(0, start) + step.filling + text.slice(start + step.length);
      });
    } else if (step.do === 'param' && Object.keys(inPath).length > 0) {
      const names = Object.keys(inPath);
      inPath[names[step.at % names.length]!] = step.value.slice(0, 1000);
    } else if (step.do === 'query') search.push([step.name.slice(0, 1000), step.value.slice(0, 1000)]);
    else if (step.do === 'again' && search.length > 0) search.push(search[step.at % search.length]!);
    else if (step.do === 'escape') inEscape += step.text;
    else if (step.do === 'method') method = step.method;
    else if (step.do === 'header') headers[step.name] = step.value;
  }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encoded(inPath[name]!));
  const parameters = search.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sent = onText.reduce<string | undefined>((each, change) => change(each ?? ''), text);
  return {
    method,
    path: `${restPath}${path}${inEscape}${parameters && `?${parameters}`}`,
    headers: { ...(sent !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    body: sent,
  };
}
