import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
/** Each GraphQL document of the README, with the answer that stands below it. */
const examples = [...readme.matchAll(/```graphql\n([\s\S]*?)```[\s\S]*?```json\n([\s\S]*?)```/g)].map(
  ([, query, answer]) => [query!.trim().split('\n').slice(0, 3).join(' '), query!, answer!] as const,
);

/** The commands of the REST section, each with the answer that stands below it; the first ones prepare the others. */
const [[, prepared], ...commands] = [
  .../\n## The same over REST\n([\s\S]*?)\n## /
    .exec(readme)![1]!
    .matchAll(/```sh\n([\s\S]*?)```(?:[^`]|`(?!``))*(?:```json\n([\s\S]*?)```)?/g),
] as unknown as [[string, string], ...[string, string, string][]];

let folder: string;
let demo: ChildProcess;
let url: string;
let token: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-readme-'));
  demo = spawn(process.execPath, ['--import', 'tsx', 'src/commands/demo.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATABASE_URL: `file:${join(folder, 'demo.db')}`,
    },
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    demo.stdout!.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Ctrl+C')) resolve();
    });
    demo.once('close', () => reject(new Error(output)));
  });
  url = /GraphQL\s+(\S+)\/graphql/.exec(output)![1]!;
  token = /Token\s+(\S+)/.exec(output)![1]!;
  await ask(
    'mutation { createApplication(input: { team: { name: "platform" }, region: { name: "us-east" }, name: "Socks" }) { ... on CreateApplicationPayload { application { appId } } } }',
  );
}, 120_000);

afterAll(async () => {
  const closed = new Promise((resolve) => demo.once('close', resolve));
  demo.kill('SIGTERM');
  await closed;
  rmSync(folder, { recursive: true, force: true });
});

async function ask(query: string): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: query.replace('trl_…', token).replace('http://127.0.0.1:4000', url) }),
  });
  return response.json();
}

/** What the README shortens or what is made at random, told alike on both sides. */
function alike(value: any, shown: any): any {
  if (Array.isArray(shown)) {
    const rest = shown.at(-1);
    if (typeof rest === 'string' && rest.startsWith('… ')) {
      const kinds = new Map<string, number>();
      for (const { kind } of value.slice(1)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const told = [...kinds].map(([kind, count]) => `${count} ${kind}`);
      return [...value.slice(0, shown.length - 1), `… ${value.length - 1} more: ${told.join(', ')}`];
    }
    return value.map((each: any, index: number) => alike(each, shown[index]));
  }
  if (value === null || typeof value !== 'object') {
    return typeof value === 'string' ? value.replace(/\.gr[0-9a-f]{6}\./, '.gr.') : value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, alike(each, shown?.[key])]));
}

/** A text without what is made at random or tells the time. */
const masked = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{32}/g, 'id')
    .replaceAll(/gr[0-9a-f]{6}/gi, 'gr')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/g, 'time');

const canRun = ['curl', 'jq'].every((command) => spawnSync(command, ['--version']).status === 0);
if (!canRun) process.stderr.write("The README's REST commands: skipped, curl or jq is not installed\n");

describe('the README', () => {
  it('shows reads, changes, an install and an upgrade', () => {
    expect(examples).toHaveLength(5);
  });

  it.each(examples)('is true: %s', async (_, query, answer) => {
    const shown = JSON.parse(answer);
    const told = alike(await ask(query), shown);
    const sorted = (text: string) =>
      text.replace(/(more: )([^"]*)"/, (_all, more, list) => `${more}${list.split(', ').sort().join(', ')}"`);
    expect(JSON.parse(sorted(JSON.stringify(told)))).toEqual(
      JSON.parse(sorted(JSON.stringify(shown).replace(/\.gr[0-9a-f]{6}\./, '.gr.'))),
    );
  });

  it('shows every operation of REST, and a refusal', () => {
    expect(commands).toHaveLength(routes.length + 1);
    for (const [, , answer] of commands) expect(answer).toBeDefined();
  });

  it.skipIf(!canRun)('is true of REST', () => {
    const here = (text: string) => text.replaceAll('trl_…', token).replaceAll('http://127.0.0.1:4000', url);
    const script = [prepared, ...commands.map(([, command]) => command)].map(here);
    const { stdout, stderr } = spawnSync('sh', ['-c', script.join("\necho; echo '=== '\n")], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const answers = stdout.split(/^=== $/m).slice(1);
    for (const [index, [, command, shown]] of commands.entries()) {
      expect(masked(answers[index]!.trim()), command).toBe(masked(shown.trim()));
    }
  });

  it('names every setting, and no other', () => {
    const config = readFileSync(join(root, 'src/config.ts'), 'utf8');
    const known = [...config.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!);
    const named = [...readme.matchAll(/^\| `([A-Z][A-Z_]+)` \|/gm)].map(([, name]) => name!);
    expect(known.length).toBeGreaterThan(8);
    expect(named.sort()).toEqual(known.sort());
  });

  it('names commands that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
