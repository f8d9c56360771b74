// Loaded into a server that is measured: changes the text of some of its modules before they are compiled.
import { realpathSync } from 'node:fs';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const { PATCHES, PATCHED_FILE } = process.env;
register('./hooks.mjs', import.meta.url, {
  data: {
    // A file that is missing ends the server here.
    patches: JSON.parse(PATCHES).map(({ file, replace }) => [
      pathToFileURL(realpathSync(file)).href,
      replace,
    ]),
    patchedFile: PATCHED_FILE,
  },
});
