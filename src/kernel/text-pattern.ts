/**
 * Whether a text matches a pattern, in which each `*` stands for any text. In time proportional to the text for each part
 * between them, because whoever chooses the text or the pattern must not be able to keep the process busy.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return text === parts[0];
  const [first, last] = [parts[0]!, parts.at(-1)!];
  const end = text.length - last.length;
  if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const index = text.indexOf(part, at);
    if (index < 0 || index + part.length > end) return false;
    at = index + part.length;
  }
  return true;
}
