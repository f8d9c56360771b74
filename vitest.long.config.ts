import { defineConfig } from 'vitest/config';
import config, { longProjects } from './vitest.config.ts';

/** The tests that need many seeds or minutes. Each file has a process of its own, and as many run as there are cores. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    globalSetup: [...config.test!.globalSetup!, 'test/clients/tools/install.mjs'],
    isolate: true,
    maxWorkers: 2,
    projects: longProjects,
  },
});
