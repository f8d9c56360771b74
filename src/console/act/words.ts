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
