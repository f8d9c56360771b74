import { strings } from '../strings.ts';
import { atDialog } from '../ui/linked.ts';

const text = strings.search;

/** What can be done with components and applications, by the name of its dialog. */
const dialogs = text.dialogs;
/** Their pages, by the last part of the address. */
const pages = text.pages;

export type DialogName = keyof typeof dialogs;
type PageName = keyof typeof pages;

/** A dialog or a page that a word stands for. */
export type Command = { dialog: DialogName } | { page: PageName };

/** The shortest beginning of a word that stands for it. */
const minLetters = 3;

const names = [
  ...(Object.keys(dialogs) as DialogName[]).map((dialog) => ({ word: dialog, command: { dialog } })),
  ...(Object.keys(pages) as PageName[]).map((page) => ({ word: page, command: { page } })),
];

/** The command among the words, such as `deploy` in `deploy web`, and the other words: what it is about. */
export function commandIn(typed: string): { command: Command; rest: string } | undefined {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length < 2) return undefined;
  for (const [index, word] of words.entries()) {
    if (word.length < minLetters) continue;
    const found = names.find((each) => each.word.startsWith(word));
    if (found) return { command: found.command, rest: words.filter((_, at) => at !== index).join(' ') };
  }
  return undefined;
}

const ofComponent: readonly PageName[] = ['logs', 'network', 'configuration', 'runs', 'usage', 'history'];
const ofApplication: readonly PageName[] = [
  'map',
  'rules',
  'upgrades',
  'previews',
  'manifest',
  'jobs',
  'record',
];

/** Where a command leads for an object at an address. Undefined if there is no such thing, or the caller may not do it. */
export function targetOf(
  command: Command,
  kind: 'application' | 'component',
  href: string,
  may: { [name in DialogName]?: boolean },
): { label: string; href: string } | undefined {
  if ('dialog' in command) {
    const { dialog } = command;
    return may[dialog] ? { label: dialogs[dialog], href: atDialog(href, dialog) } : undefined;
  }
  const { page } = command;
  const has = kind === 'component' ? ofComponent : ofApplication;
  return has.includes(page) ? { label: pages[page], href: `${href}/${page}` } : undefined;
}
