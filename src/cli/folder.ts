import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type Files, textIn } from '../convert/files.ts';
import { pathBelow } from './text.ts';

const maxBytes = 1_048_576;

/** The texts below a folder, which are read when they are asked for. */
export const filesBelow = (folder: string): Files => ({
  get(name) {
    try {
      const path = pathBelow([folder], name);
      if (path === undefined) return null;
      const stats = statSync(path);
      if (stats.isDirectory()) return readdirSync(path).sort();
      if (!stats.isFile() || stats.size > maxBytes) return null;
      return textIn(readFileSync(path));
    } catch {
      return undefined;
    }
  },
});
