import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientsFolder } from './client-examples.ts';

const linter = join(clientsFolder, 'node_modules/@redocly/cli/bin/cli.js');

/** What the linter's strict rules say of an OpenAPI document; it runs offline. */
export function lintOpenapi(document: object): {
  findings: { ruleId: string; message: string }[];
  status: number | null;
} {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-openapi-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const { status, stdout } = spawnSync(
    process.execPath,
    [linter, 'lint', '--extends=recommended-strict', '--format=json', file],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
      env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  rmSync(folder, { recursive: true, force: true });
  return { status, findings: JSON.parse(stdout.slice(stdout.indexOf('{'))).problems };
}
