import type { Command } from 'commander';
import { connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { candidatesOf } from '../named.ts';
import { operationsOf } from '../operations.ts';
import { plain, print } from '../show.ts';

const scripts: Record<string, string> = {
  bash: `_trellis() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do
    COMPREPLY+=("$found")
  done < <(trellis __complete --bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _trellis trellis`,
  zsh: `#compdef trellis
_trellis() {
  local -a found
  found=(\${(f)"$(trellis __complete -- \${words[2,CURRENT]} 2>/dev/null)"})
  if (( \${#found} )); then compadd -- $found; else _files; fi
}
compdef _trellis trellis`,
  fish: `function __trellis_complete
  set -l words (commandline -opc) (commandline -ct)
  trellis __complete -- $words[2..] 2>/dev/null
end
complete -c trellis -f -a '(__trellis_complete)'`,
};

export function completion(context: Context, shell: string): void {
  const script = scripts[shell];
  if (!script) throw new Failure(`There is no completion for ${shell}. Choose bash, zsh or fish.`);
  print(context, script);
}

/** How a shell reads the word that is completed, and writes what it becomes. */
interface Quoting {
  read(word: string): string;
  /** Undefined for what cannot be written. */
  write(found: string, word: string): string | undefined;
}

/** Names are whatever people choose. Those that would move the cursor are not offered. */
const isShown = (text: string) => plain(text) === text;

/** zsh and fish quote what they insert. */
export const wordsAsTheyAre: Quoting = {
  read: (word) => word,
  write: (found) => found,
};

/** bash runs what it inserts as it is: each character that could mean something has a backslash. */
export const wordsOfBash: Quoting = {
  read: (word) => word.replace(/^["']/, '').replace(/\\(.)/gs, '$1'),
  write(found, word) {
    const quoted = found.replace(/[^\p{L}\p{N}_./:@%+-]/gu, '\\$&');
    // After a quote, a backslash does not mean the same.
    return /^["']/.test(word) && quoted !== found ? undefined : quoted;
  },
};

/** Prints what the last word can become: commands, options, and names of applications and components. */
export async function complete(
  context: Context,
  words: string[],
  program: Command,
  { read, write }: Quoting,
): Promise<void> {
  const last = words.at(-1) ?? '';
  const [name] = words;
  const command = program.commands.find((each) => each.name() === name);
  let candidates: string[] = [];
  if (words.length <= 1)
    candidates = program.commands.map((each) => each.name()).filter((each) => !each.startsWith('__'));
  else if (name === 'call') candidates = await callWords(context, words.slice(1));
  else if (last.startsWith('-'))
    candidates = command?.options.map((option) => option.long ?? option.short ?? '') ?? [];
  else if (command && words.length === 2)
    candidates = await names(context, command.registeredArguments[0]?.name() ?? '');
  const wanted = read(last);
  for (const each of candidates.filter(isShown)) {
    const word = each.startsWith(wanted) ? write(each, last) : undefined;
    if (word !== undefined) print(context, word);
  }
}

/** The names of the operations, and of the arguments of one. */
async function callWords(context: Context, [name, ...rest]: string[]): Promise<string[]> {
  const operations = await operationsOf((await connection(context)).url);
  if (rest.length === 0) return operations.map((operation) => operation.name);
  const operation = operations.find((each) => each.name === name);
  const names = Object.keys(operation?.properties ?? {}).map((each) => `--${each}`);
  return rest.at(-1)!.startsWith('-') ? ['--input', ...names] : [];
}

/** The names that an argument can be, which is called by what it names. */
async function names(context: Context, argument: string): Promise<string[]> {
  const at = await connection(context);
  const candidates: string[] = [];
  if (argument.includes('application'))
    candidates.push(...(await candidatesOf(context, at, 'applications')).map((each) => each.name));
  if (argument.includes('component')) {
    const components = await candidatesOf(context, at, 'components');
    candidates.push(...components.map((each) => `${each.application.name}/${each.name}`));
  }
  return candidates;
}
