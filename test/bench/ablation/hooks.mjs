// Runs in the thread in which Node.js loads modules. A text that is not found ends the server: it would be measured
// unchanged. So that a module that is never loaded is noticed too, each patched one is noted in a file.
import { appendFileSync } from 'node:fs';

let patches;
let patchedFile;

export function initialize(data) {
  patches = new Map(data.patches);
  patchedFile = data.patchedFile;
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const replace = patches.get(url);
  if (!replace) return loaded;
  let source = String(loaded.source);
  for (const [from, to] of replace) {
    const parts = source.split(from);
    if (parts.length !== 2) throw new Error(`${url} has ${parts.length - 1} times, not once: ${from}`);
    source = parts.join(to);
  }
  appendFileSync(patchedFile, `${url}\n`);
  return { ...loaded, source };
}
