export interface Insertion {
  /** The position in the text. */
  at: number;
  text: string;
}

/** The text with all insertions. */
export function annotate(text: string, insertions: readonly Insertion[]): string {
  let [result, from] = ['', 0];
  for (const { at, text: inserted } of [...insertions].sort((a, b) => a.at - b.at)) {
    result += text.slice(from, at) + inserted;
    from = at;
  }
  return result + text.slice(from);
}
