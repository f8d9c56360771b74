import { randomUUID } from 'node:crypto';
import { parsed, reach } from '../api.ts';
import { type Connection, connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure, type Issue } from '../failure.ts';
import { type Operation, operationsOf } from '../operations.ts';
import { note, plain, print, printJson, table } from '../show.ts';
import { textOf } from '../text.ts';

interface CallOptions {
  input?: string;
  json?: boolean;
}

type Arguments = Record<string, unknown>;

/** Calls an operation, or lists all of them. */
export async function call(
  context: Context,
  name: string | undefined,
  words: string[],
  { input, json }: CallOptions,
): Promise<void> {
  const at = await connection(context);
  const operations = await operationsOf(at.url);
  if (name === undefined) return list(context, operations, json);
  const operation = operations.find((each) => each.name === name.replaceAll('_', '-'));
  if (!operation)
    throw new Failure(`There is no operation ${plain(name)}. \`trellis call\` lists the operations.`);
  const isPiped = words.at(-1) === '-' && input === undefined;
  const file = isPiped ? '-' : input;
  const given = file === undefined ? {} : readInput(await textOf(context, file), file);
  setArguments(operation, given, isPiped ? words.slice(0, -1) : words);
  printJson(context, await send(context, at, operation, given));
}

function list(context: Context, operations: Operation[], isJson: boolean | undefined): void {
  const rows = operations.map(({ name, isChange, properties }) => [
    name,
    isChange ? 'change' : 'read',
    Object.keys(properties).join(' '),
  ]);
  if (!isJson) {
    print(context, table(context, ['OPERATION', 'KIND', 'ARGUMENTS'], rows));
    return;
  }
  printJson(
    context,
    operations.map(({ name, title, description, isChange, properties }) => ({
      name,
      title,
      description,
      isChange,
      arguments: Object.keys(properties),
    })),
  );
}

function readInput(text: string, file: string): Arguments {
  const input = parsed<unknown>(text);
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Arguments;
  throw new Failure(`${file} is not a JSON object.`);
}

/** Sets what words such as `--team.name shop`, `--replicas=2` and `--dryRun` say. */
function setArguments(operation: Operation, given: Arguments, words: string[]): void {
  for (let index = 0; index < words.length; index++) {
    const [, option, inline] = /^--([\w.-]+)(?:=(.*))?$/s.exec(words[index]!) ?? [];
    if (option === undefined)
      throw new Failure(`${plain(words[index]!)} is not an argument. Write each argument as --NAME VALUE.`);
    const steps = option.split('.').map(camelCase);
    const { type } = schemaAt(operation, steps);
    const isFlag = [type].flat().includes('boolean');
    const next = words[index + 1];
    const isNext = inline === undefined && next !== undefined && !(isFlag && next.startsWith('--'));
    if (isNext) index++;
    const text = inline ?? (isNext ? next : isFlag ? 'true' : undefined);
    if (text === undefined) throw new Failure(`--${option} has no value.`);
    setAt(given, steps, valueFor(text, type, option));
  }
}

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function schemaAt({ name, properties, resolve }: Operation, steps: string[]) {
  let schema = resolve({ properties });
  for (const step of steps) {
    const properties = schema.properties ?? {};
    if (!Object.hasOwn(properties, step)) {
      const names = Object.keys(properties).join(', ') || 'none';
      throw new Failure(`${name} has no argument ${plain(steps.join('.'))}. There are: ${names}.`);
    }
    schema = resolve(properties[step]);
  }
  return schema;
}

/** Texts are written as they are, and everything else as JSON. */
function valueFor(text: string, type: string | string[] | undefined, option: string): unknown {
  if ([type].flat().includes('string')) return text;
  const value = parsed<unknown>(text);
  if (value === undefined) throw new Failure(`--${option} must be JSON.`);
  return value;
}

function setAt(given: Arguments, steps: string[], value: unknown): void {
  const [step, ...rest] = steps as [string, ...string[]];
  if (rest.length === 0) {
    given[step] = value;
    return;
  }
  const inner = given[step];
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) given[step] = {};
  setAt(given[step] as Arguments, rest, value);
}

interface Problem {
  detail?: string;
  code?: string;
  issues?: Issue[];
}

/** Its key lets the gateway answer a repeated request as the first one. */
async function send(
  context: Context,
  { url, token }: Connection,
  { name, isChange }: Operation,
  given: Arguments,
): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
  const init = isChange
    ? {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
        body: JSON.stringify(given),
      }
    : { headers };
  const asked = Object.entries(given).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const query = isChange || asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`;
  const reached = await reach(`${url}/api/v1/${name}${query}`, init);
  const requestId = reached.headers.get('x-request-id');
  const answer = parsed<Problem>(reached.text);
  if (reached.status !== 200 || answer === undefined) {
    const message = answer?.detail ?? `${url} responded with the status ${reached.status}. Is it a gateway?`;
    throw new Failure(message, { code: answer?.code, issues: answer?.issues, requestId });
  }
  const warning = reached.headers.get('trellis-warning');
  if (warning) note(context, `warning: ${plain(warning)}`);
  return answer;
}
