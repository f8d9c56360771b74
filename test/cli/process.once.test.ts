import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFile, cliFor, gatewayOf, run, start } from '../support/cli.ts';
import { type Place, unique } from '../support/fixtures.ts';
import { simulatedInstance } from '../support/instances.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { useTrellis } from '../support/trellis.ts';

startsProcesses();

let place: Place;
let env: Record<string, string>;
let cli: ReturnType<typeof cliFor>;
let folder: string;
const trellis = useTrellis({ jobs: {} });
beforeAll(async () => {
  place = await trellis.createPlace();
  const placed = { TRELLIS_TEAM: place.team.name, TRELLIS_REGION: place.region.name };
  env = { ...gatewayOf(trellis), ...placed };
  cli = cliFor(trellis, placed);
  folder = mkdtempSync(join(tmpdir(), 'trellis-cli-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const document = (name: string) =>
  `application: ${name}\ncomponents:\n  web: { image: "nginx:1.28", ports: { 80: { protocol: http } } }\n`;
const written = (text: string) => {
  const file = join(folder, `${unique('file')}.yaml`);
  writeFileSync(file, text);
  return file;
};

describe('the file of the command line', () => {
  it('is a program that needs Node.js alone', async () => {
    const alone = mkdtempSync(join(tmpdir(), 'trellis-alone-'));
    const program = join(alone, 'trellis');
    copyFileSync(cliFile(), program);
    const name = unique('shop');
    const planned = await run(program, ['plan', '-f', '-'], { env, input: document(name) });
    rmSync(alone, { recursive: true });
    expect([planned.status, planned.stderr]).toEqual([2, '']);
    expect(planned.stdout).toContain(`${name}\n  + application ${name}\n`);
  });

  it('ends by the signal that interrupts it', async () => {
    const { component } = await simulatedInstance(trellis, place.team.teamId);
    const query = 'query ($by: ComponentRef!) { component(by: $by) { name application { name } } }';
    const { name, application } = (await trellis.data(query, { by: component })).component;
    const args = [cliFile(), 'logs', `${application.name}/${name}`, '--follow'];
    const followed = start(process.execPath, args, { env: { ...env, TRELLIS_REGION: '' } });
    await Promise.race([once(followed.child.stdout, 'data'), followed.ended]);
    followed.child.kill('SIGINT');
    expect(await followed.ended).toMatchObject({ status: null, signal: 'SIGINT', stderr: '' });
  });
});

describe('trellis plan', () => {
  it('says that the disk is full', async () => {
    const { status, stderr } = await cli([
      'plan',
      '-f',
      written(document(unique('a'))),
      '--out',
      '/dev/full',
    ]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('/dev/full cannot be written: ENOSPC')]);
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
    const command = `${process.execPath} ${cliFile()} ls > /dev/full`;
    const listed = await run('bash', ['-c', command], { env });
    expect(listed).toEqual({
      status: 1,
      stdout: '',
      stderr: 'error: The output cannot be written: ENOSPC: no space left on device, write\n',
    });
  });
});

describe('trellis apply', () => {
  it('asks on a terminal, and nowhere else', async () => {
    const name = unique('shop');
    const file = written(document(name));
    const refused = await cli(['apply', '-f', file]);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      'error: Cannot ask for confirmation with --json or without a terminal. Add --yes to apply.\n',
    ]);
    const inTerminal = (answer: string) =>
      run('script', ['-qec', `${process.execPath} ${cliFile()} apply -f ${file}`, '/dev/null'], {
        env: { ...env, TERM: 'xterm' },
        input: answer,
      });
    const no = await inTerminal('n');
    expect([no.status, no.stdout]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
    const yes = await inTerminal('y');
    expect([yes.status, yes.stdout]).toEqual([0, expect.stringContaining(' succeeded.')]);
    // In colour, unless somebody does not want any.
    expect(yes.stdout).toContain('\u001b[32m  + component web\u001b[39m');
    const plain = await run(
      'script',
      ['-qec', `${process.execPath} ${cliFile()} plan -f ${file}`, '/dev/null'],
      { env: { ...env, TERM: 'xterm', NO_COLOR: '1' } },
    );
    expect([plain.status, plain.stdout]).toEqual([0, `${name}: nothing to change\r\n`]);
  });
});

describe('trellis export', () => {
  it('ends quietly when its reader has enough', async () => {
    const name = unique('shop');
    const components = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`part-${index}`, { image: `nginx:${'x'.repeat(100)}` }]),
    );
    await cli(['apply', '-f', '-', '--yes', '--no-wait'], {
      input: JSON.stringify({ application: name, components }),
    });
    const command = `set -o pipefail; ${process.execPath} ${cliFile()} export ${name} | head -1`;
    const ended = await run('bash', ['-c', command], { env });
    expect(ended).toEqual({ status: 0, stdout: `application: ${name}\n`, stderr: '' });
  });
});

describe('trellis completion', () => {
  it('completes in bash', async () => {
    const bash = `source <(${process.execPath} ${cliFile()} completion bash); trellis() { ${process.execPath} ${cliFile()} "$@"; }; COMP_WORDS=(trellis sta); COMP_CWORD=1; _trellis; echo "\${COMPREPLY[@]}"`;
    expect((await run('bash', ['-c', bash])).stdout).toBe('status start\n');
    const name = `yyy;touch "${join(folder, 'ran')}"; $(echo x) *`;
    await trellis.createApplication(place, name);
    const words = bash.replace('trellis sta', 'trellis status yyy').replace('COMP_CWORD=1', 'COMP_CWORD=2');
    const line = words.replace(/echo .*$/, `eval "printf %s \${COMPREPLY[0]}"`);
    expect(await run('bash', ['-c', line], { env })).toEqual({ status: 0, stdout: name, stderr: '' });
    expect(readdirSync(folder)).not.toContain('ran');
  });
});
