/** The words of a command, as a shell without expansion reads them. */
export function wordsOf(command: string): string[] {
  const words = command.match(/(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs) ?? [];
  return words.map((word) =>
    word.replace(/\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs, (_, escaped, single, double) => {
      return escaped ?? single ?? double.replace(/\\(["\\$`])/g, '$1');
    }),
  );
}

/** Words as a shell reads them again. */
export const quotedWords = (words: readonly string[]) =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
