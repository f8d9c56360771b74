import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFor } from '../support/cli.ts';
import type { All } from '../support/fixtures.ts';
import { operations } from '../support/operations.ts';
import { useTrellis } from '../support/trellis.ts';

let all: All;
let cli: ReturnType<typeof cliFor>;
let folder: string;
const trellis = useTrellis();
beforeAll(async () => {
  all = await trellis.createAll();
  cli = cliFor(trellis);
  folder = mkdtempSync(join(tmpdir(), 'trellis-call-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

async function called(...args: string[]) {
  const { status, stdout, stderr } = await cli(['call', ...args]);
  expect([args[0], status, stderr]).toEqual([args[0], 0, '']);
  return JSON.parse(stdout);
}

/** All operations, and the export, which is no GraphQL document. */
const paths = [...operations.map(({ path }) => path), 'export-events'];

describe('trellis call', () => {
  it('lists every operation', async () => {
    const { status, stdout } = await cli(['call']);
    expect(status).toBe(0);
    const [, ...rows] = stdout.trim().split('\n');
    expect(rows.map((row) => row.split(/\s/)[0])).toEqual(paths);
    const listed = await called('--json');
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(paths);
    expect(listed.find(({ name }: { name: string }) => name === 'scale-component')).toMatchObject({
      isChange: true,
      arguments: expect.arrayContaining(['component', 'replicas', 'dryRun']),
    });
  });

  it('reads with arguments of every kind', async () => {
    const found = await called('find-components', '--team.name', all.team.name, '--first', '5');
    expect(found.nodes[0]).toMatchObject({ id: all.component.id });
    const team = JSON.stringify({ id: all.team.id });
    expect(await called('get-team', `--team=${team}`)).toMatchObject({ name: all.team.name });
    expect((await called('get_team', '--team', team)).name).toBe(all.team.name);
    const component = ['--component.id', all.component.id];
    const open = await called('list-ports', ...component, '--is-outer', 'false');
    expect(open.ports.nodes[0]).toMatchObject({ number: 8080, isOuter: false });
    expect((await called('list-ports', '--isOuter', ...component)).ports.totalCount).toBe(0);
  });

  it('changes with arguments, a file or standard input', async () => {
    const component = ['--component.id', all.component.id];
    const planned = await called('scale-component', ...component, '--replicas', '2', '--dryRun');
    expect([planned.component.replicas, planned.plan.length]).toEqual([1, 1]);
    const input = join(folder, 'input.json');
    writeFileSync(input, JSON.stringify({ component: { id: all.component.id }, replicas: 3 }));
    expect((await called('scale-component', '--input', input)).component.replicas).toBe(3);
    const changed = await called('scale-component', '--replicas', '4', '--input', input);
    expect(changed.component.replicas).toBe(4);
    const piped = await cli(['call', 'scale-component', '-'], {
      input: JSON.stringify({ component: { id: all.component.id }, replicas: 5 }),
    });
    expect([piped.status, JSON.parse(piped.stdout).component.replicas]).toEqual([0, 5]);
  });

  it('says what is wrong', async () => {
    const notJson = join(folder, 'list.json');
    writeFileSync(notJson, '[1]');
    const cases: [string[], RegExp][] = [
      [['none'], /^error: There is no operation none\. `trellis call` lists the operations\.\n$/],
      [['get-team', '--nothing', '1'], /get-team has no argument nothing\. There are: team\./],
      [['get-team', '--team.nmae', 'x'], /get-team has no argument team\.nmae\. There are: .*name/],
      [['get-team', 'shop'], /shop is not an argument\. Write each argument as --NAME VALUE\./],
      [['get-team', '--team.name'], /--team\.name has no value\./],
      [['get-team', '--team', 'shop'], /--team must be JSON\./],
      [
        ['get-team', '--team.name', 'nowhere'],
        /^error: There is no such team\. \(NOT_FOUND, request [\w-]+\)\n$/,
      ],
      [
        ['find-teams', '--first', '101'],
        /^error: The input has 1 error \(INVALID_INPUT, request .*\n {2}first: Must be between/,
      ],
      [['add-port', '--number', '1'], /INVALID_INPUT, request .*\n {2}component: /],
      [['add-port', '--input', notJson], /list\.json is not a JSON object\./],
      [['add-port', '--input', 'nowhere.json'], /There is no file nowhere\.json\./],
    ];
    for (const [args, text] of cases) {
      const { status, stdout, stderr } = await cli(['call', ...args]);
      expect([args.join(' '), status, stdout, stderr]).toEqual([
        args.join(' '),
        1,
        '',
        expect.stringMatching(text),
      ]);
    }
    const unreachable = await cli(['call'], { env: { TRELLIS_URL: 'http://127.0.0.1:1' } });
    expect([unreachable.status, unreachable.stderr]).toEqual([
      1,
      expect.stringContaining('cannot be reached'),
    ]);
  });

  it('prints no characters that terminals act on', async () => {
    const description = 'a\u009b31mb\u0085cd';
    const ref = { componentId: all.component.componentId };
    await trellis.succeed('updateComponent', { component: ref, description }, '__typename');
    const { stdout } = await cli(['call', 'get-component', '--component.id', all.component.id]);
    expect(stdout).not.toMatch(/[\u007f-\u009f]/);
    expect(JSON.parse(stdout).description).toBe(description);
  });

  it('is completed', async () => {
    const complete = async (...words: string[]) =>
      (await cli(['__complete', '--', 'call', ...words])).stdout.split('\n').filter(Boolean);
    expect(await complete('scale')).toEqual(['scale-component']);
    expect(await complete('scale-component', '--r')).toEqual(['--replicas']);
    expect(await complete('get-team', '--')).toEqual(['--input', '--team']);
    expect(await complete('none', '--x')).toEqual([]);
  });
});
