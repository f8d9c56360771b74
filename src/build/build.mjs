// Makes `dist`: a bundle for each program, the command line, and the files that are read beside the code.
// `node src/build/build.mjs [dist]`
import { resolve } from 'node:path';
import { root } from './bundle.mjs';
import { buildInto } from './programs.mjs';

await buildInto(resolve(process.argv[2] ?? `${root}/dist`));
