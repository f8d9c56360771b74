// Writes the typed clients for both databases, and the table map that reads are derived from, out of the
// one definition in models.prisma. `prisma generate` wants a schema engine binary that generation never
// runs, and would download it: naming any file that exists keeps it from the network.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(here, '../src/db/generated');
const models = readFileSync(join(here, 'models.prisma'), 'utf8');
const require = createRequire(import.meta.url);
const cli = join(dirname(require.resolve('prisma-cli/package.json')), 'build/index.js');

mkdirSync(join(here, '../node_modules/.cache'), { recursive: true });
const scratch = mkdtempSync(join(here, '../node_modules/.cache/schema-'));
try {
  for (const [name, provider] of [
    ['sqlite', 'sqlite'],
    ['postgres', 'postgresql'],
  ]) {
    const tables =
      name === 'sqlite'
        ? `generator tables {\n  provider = "node ${JSON.stringify(join(here, 'table-map.mjs')).slice(1, -1)}"\n  output = ${JSON.stringify(join(output, 'tables.ts'))}\n}\n`
        : '';
    const schema = join(scratch, `${name}.prisma`);
    writeFileSync(
      schema,
      `datasource db {\n  provider = "${provider}"\n}\ngenerator client {\n  provider = "prisma-client"\n  output = ${JSON.stringify(join(output, name))}\n  moduleFormat = "esm"\n  runtime = "nodejs"\n  importFileExtension = "ts"\n  generatedFileExtension = "ts"\n}\n${tables}${models}`,
    );
    const args = ['--require', join(here, 'without-studio.cjs'), cli, 'generate', '--schema', schema];
    const run = spawnSync(process.execPath, args, {
      cwd: scratch,
      encoding: 'utf8',
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        CHECKPOINT_DISABLE: '1',
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
      },
    });
    if (run.status !== 0) {
      process.stderr.write(`${run.stdout}${run.stderr}`);
      process.exitCode = 1;
      break;
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
