import { strings } from '../strings.ts';

type Text = string | ((...names: never[]) => string);

/** The texts of an action: `delete` on its button, `deleteTitle`, and `deleteIntro` if there is something to say. */
type Texts<Verb extends string> = { readonly [key in Verb]: string } & {
  readonly [key in `${Verb}Title`]: Text;
} & { readonly [key in `${Verb}Intro`]?: Text };

type Names<T> = T extends (...names: infer N) => string ? N : [];

const textOf = (text: Text | undefined, names: unknown[]) =>
  typeof text === 'function' ? text(...(names as never[])) : text;

/** The button, title and introduction of an action, from the texts of its area. The names are those in its title. */
export function wordsOf<const Verb extends string, T extends Texts<Verb>>(
  texts: T,
  verb: Verb,
  ...names: Names<T[`${Verb}Title`]>
): { label: string; title: string; intro?: string } {
  const { [verb]: label, [`${verb}Title`]: title, [`${verb}Intro`]: intro } = texts as Record<string, Text>;
  return { label: label as string, title: textOf(title, names)!, intro: textOf(intro, names) };
}

/** What the button says that carries out an action: a verb and its object. The name of the mutation has what the label lacks. */
export function confirmOf({ submit, label, mutation }: { submit?: string; label: string; mutation: string }) {
  if (submit) return submit;
  const [, ...object] = mutation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
  const noun = object.join(' ');
  if (label.toLowerCase() === noun) return `Set ${noun}`;
  if (label.startsWith('New ')) return label.replace('New', 'Create');
  return verbs.test(label) ? `${label} ${noun}` : label;
}

/** The button that closes the dialog of an action: "Cancel" would be ambiguous beside "Cancel job". */
export const dismissOf = (confirm: string) =>
  confirm.startsWith('Cancel ') ? strings.common.close : strings.common.cancel;

/** A label without an object. */
const verbs = /^([A-Z][a-z]+|Roll back)$/;
