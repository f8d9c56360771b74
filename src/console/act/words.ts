import { strings } from '../strings.ts';

type Text = string | ((...names: never[]) => string);

/** The texts of an action that its mutation does not say: `delete` on its button, `deleteTitle`, and `deleteIntro`. */
type Texts<Verb extends string> = { readonly [key in Verb]?: string } & {
  readonly [key in `${Verb}Title` | `${Verb}Intro`]?: Text;
};

type Names<T, Key extends string> = T extends { readonly [key in Key]: (...names: infer N) => string }
  ? N
  : [];

const textOf = (text: Text | undefined, names: unknown[]) =>
  typeof text === 'function' ? text(...(names as never[])) : text;

/** The button, title and introduction of an action, from the texts of its area. The names are those in its title. */
export function wordsOf<const Verb extends string, T extends Texts<Verb>>(
  texts: T,
  verb: Verb,
  ...names: Names<T, `${Verb}Title`>
): { label?: string; title?: string; intro?: string } {
  const all: { readonly [key: string]: Text | undefined } = texts;
  const [label, title, intro] = [all[verb], all[`${verb}Title`], all[`${verb}Intro`]];
  return { label: textOf(label, []), title: textOf(title, names), intro: textOf(intro, names) };
}

interface Named {
  label?: string;
  submit?: string;
  mutation: string;
}

/** `['rotate', 'webhook secret']` for `rotateWebhookSecret`. */
function partsOf(mutation: string): [verb: string, noun: string] {
  const [verb = '', ...noun] = mutation
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(?:http|tcp)\b/g, (word) => word.toUpperCase())
    .split(' ');
  return [verb.replace('rollback', 'roll back'), noun.join(' ')];
}

/** What the button of an action says: its own text, or what its mutation does. */
export function labelOf({ label, mutation }: Named): string {
  const words = partsOf(mutation).join(' ').trim();
  return label ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** What the button says that carries out an action: a verb and its object. The name of the mutation has what the label lacks. */
export function confirmOf(action: Named): string {
  if (action.submit) return action.submit;
  const label = labelOf(action);
  const [, noun] = partsOf(action.mutation);
  if (label.toLowerCase() === noun) return `Set ${noun}`;
  if (label.startsWith('New ')) return label.replace('New', 'Create');
  return verbs.test(label) ? `${label} ${noun}`.trim() : label;
}

/** The button that closes the dialog of an action: "Cancel" would be ambiguous beside "Cancel job". */
export const dismissOf = (confirm: string) =>
  confirm.startsWith('Cancel ') ? strings.common.close : strings.common.cancel;

/** A label without an object. */
const verbs = /^([A-Z][a-z]+|Roll back)$/;
