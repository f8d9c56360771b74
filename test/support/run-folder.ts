import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of what the workers of a run share: see `made-once.ts`. */
    runFolder: string;
  }
}

// Each project of a run is set up by a copy of this module: all share one folder.
const shared = globalThis as { folderOfTests?: { path: string; users: number } };

export default function setup(project: TestProject): () => void {
  shared.folderOfTests ??= { path: mkdtempSync(join(tmpdir(), 'trellis-run-')), users: 0 };
  const folder = shared.folderOfTests;
  folder.users++;
  project.provide('runFolder', folder.path);
  return () => {
    if (--folder.users > 0) return;
    delete shared.folderOfTests;
    rmSync(folder.path, { recursive: true, force: true });
  };
}
