// Installs the packages of this folder, which only the long lane of tests needs. It does nothing if they are installed as
// package-lock.json says.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../', import.meta.url);
const installed = new URL('node_modules/.installed-lock.json', folder);
const read = (url) => {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return undefined;
  }
};

/** The global setup of vitest.long.config.ts. Without the network, only the tests that need a package fail. */
export default function install() {
  const lock = readFileSync(new URL('package-lock.json', folder), 'utf8');
  if (read(installed) === lock) return;
  const { status } = spawnSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(folder),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) writeFileSync(installed, lock);
  else
    process.stderr.write('The packages of test/clients are not installed. The tests that need them fail.\n');
}
