import { readFileSync } from 'node:fs';
import { installedFile } from '../../../kernel/files.ts';

export const installedVersion = (): string =>
  JSON.parse(readFileSync(installedFile('package.json'), 'utf8')).version;
