import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api.ts';
import { errorStatus } from '../../src/kernel/error-codes.ts';
import { built } from '../support/built.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const reference = read('docs/reference.md');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Each GraphQL operation of the README and the reference that has its response below it. */
const examples = [
  ...`${readme}\n${reference}`.matchAll(
    /```graphql\n((?:(?!```)[\s\S])*)```(?:(?!```)[\s\S])*```json\n([\s\S]*?)```/g,
  ),
].map(([, query, answer]) => [query!.trim().split('\n').slice(0, 3).join(' '), query!, answer!] as const);

/** The commands of a section, each with the response below it; the first ones set the variables of the others. */
function commandsOf(page: string, heading: string) {
  const [, section] = new RegExp(`\\n##+ ${heading}\\n([\\s\\S]*?)\\n## `).exec(page)!;
  const [[, prepared], ...commands] = [
    ...section!.matchAll(/```sh\n([\s\S]*?)```(?:[^`]|`(?!``))*(?:```json\n([\s\S]*?)```)?/g),
  ] as unknown as [[string, string], ...[string, string, string][]];
  return { prepared, commands };
}
const tour = commandsOf(readme, 'REST');
const operations = commandsOf(reference, 'REST API');

let folder: string;
let demo: ChildProcess;
let url: string;
let token: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-readme-'));
  demo = spawn(process.execPath, [join(built(), 'commands/demo.js')], {
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
});

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

/** A response as the documents show it: shortened, and without random parts. */
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

/** A text without random ids and times. */
const masked = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{32}/g, 'id')
    .replaceAll(/gr[0-9a-f]{6}/gi, 'gr')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/g, 'time');

const canRun = ['curl', 'jq'].every((command) => spawnSync(command, ['--version']).status === 0);
if (!canRun)
  process.stderr.write('The REST commands of the documents: skipped, curl or jq is not installed\n');

describe('the documents', () => {
  it('show reads, changes, an install, an upgrade and a refused change', () => {
    expect(examples).toHaveLength(7);
  });

  it.each(examples)('show the response of: %s', async (_, query, answer) => {
    const shown = JSON.parse(answer);
    const told = alike(await ask(query), shown);
    const sorted = (text: string) =>
      text.replace(/(more: )([^"]*)"/, (_all, more, list) => `${more}${list.split(', ').sort().join(', ')}"`);
    expect(JSON.parse(sorted(JSON.stringify(told)))).toEqual(
      JSON.parse(sorted(JSON.stringify(shown).replace(/\.gr[0-9a-f]{6}\./, '.gr.'))),
    );
  });

  it('show three commands in the README, and every REST operation, `If-Match` and a refusal in the reference', () => {
    expect(tour.commands).toHaveLength(3);
    expect(operations.commands).toHaveLength(routes.length + 2);
    for (const [, , answer] of [...tour.commands, ...operations.commands]) expect(answer).toBeDefined();
  });

  it.skipIf(!canRun).each([
    ['README.md', tour],
    ['docs/reference.md', operations],
  ])('show the responses of the REST commands: %s', (_, { prepared, commands }) => {
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

  it.skipIf(!canRun)('show the responses of a week of a team', () => {
    const section = read('docs/tour.md');
    const [prepared, commands] = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
    const script = `${prepared}${commands}`
      .replaceAll('trl_…', token)
      .replaceAll('http://127.0.0.1:4000', url);
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const shown = [...commands!.matchAll(/^# (\{.*)$/gm)].map(([, answer]) => answer!);
    expect(shown.length).toBeGreaterThan(15);
    expect(masked(stdout).trim().split('\n')).toEqual(shown.map(masked));
  });

  it('name every setting, and no other', () => {
    const known = [...read('src/settings.ts').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!);
    const [tables] = /\n## Limits\n[\s\S]*?\n## REST API/.exec(reference)!;
    // Other tables of this page have words that look like settings.
    const [ofKubernetes] = /\n\| variable \|[\s\S]*?\n\n/.exec(read('docs/kubernetes.md'))!;
    const others = [read('docs/documents.md'), read('docs/identity.md'), ofKubernetes];
    const named = [...[readme, tables, ...others].join('\n').matchAll(/^\| `([A-Z][A-Z_]+)` \|/gm)].map(
      ([, name]) => name!,
    );
    expect(known.length).toBeGreaterThan(8);
    expect(named.sort()).toEqual(known.sort());
  });

  it('name every error code with its status', () => {
    const named = [...reference.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    expect(Object.fromEntries(named)).toEqual(errorStatus);
  });

  it('name commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    for (const page of pages) {
      const named = [...read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name!);
      expect(
        named.filter((name) => !(name in scripts)),
        page,
      ).toEqual([]);
    }
    expect(readme.match(/npm run /g)!.length).toBeGreaterThan(8);
  });

  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-');
  const headingsOf = (page: string, level: RegExp) =>
    [...page.replaceAll(/```[\s\S]*?```/g, '').matchAll(level)].map(([, heading]) =>
      heading!.replaceAll(/[[\]]/g, ''),
    );

  it.each(pages)('have a table of contents: %s', (path) => {
    const page = read(path);
    const contents = [...page.matchAll(/^- \[(.+)\]\(#(.+)\)$/gm)].map(([, , link]) => link);
    expect(contents).toEqual(headingsOf(page, /^## (.+)$/gm).map(anchor));
  });

  it.each(pages)('link to files and headings that exist: %s', (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [link, file, heading] of links) {
      const target = file ? join(dirname(path), file) : path;
      expect(existsSync(join(root, target)), `${path}: ${link}`).toBe(true);
      if (heading)
        expect(headingsOf(read(target), /^#+ (.+)$/gm).map(anchor), `${path}: ${link}`).toContain(heading);
    }
  });

  it('name source files that exist', () => {
    const texts = pages.map(read).join('\n');
    const named = [...texts.matchAll(/`((?:src|test|prisma|docs)\/[\w./-]+)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(20);
    // The guide to adding a concept adds one.
    const missing = named.filter((path) => !path.includes('webhook') && !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  it('keep the README within 300 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(300);
  });
});
