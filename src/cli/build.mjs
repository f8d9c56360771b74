// Makes the command line one file, `dist/cli/trellis.mjs`, which runs where nothing else is installed.
// `node src/cli/build.mjs [dist]`
import { chmodSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const outfile = join(resolve(process.argv[2] ?? join(here, '../../dist')), 'cli/trellis.mjs');

await bundle({
  entry: join(here, 'main.ts'),
  outfile,
  minifySyntax: true,
  shebang: '#!/usr/bin/env node\n',
  // commander is a CommonJS package, which requires modules of Node.js.
  banner: {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
});
chmodSync(outfile, 0o755);
