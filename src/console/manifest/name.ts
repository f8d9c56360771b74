import { yamlLanguage } from '@codemirror/lang-yaml';

/** The name of the application that a manifest is for. Undefined if it cannot be read. */
export function applicationNameIn(document: string): string | undefined {
  const root = yamlLanguage.parser.parse(document).topNode.getChild('Document');
  const mapping = root?.getChild('BlockMapping') ?? root?.getChild('FlowMapping');
  const textOf = ({ from, to }: { from: number; to: number }) => document.slice(from, to);
  for (const pair of mapping?.getChildren('Pair') ?? []) {
    const [key, value] = [pair.getChild('Key'), pair.lastChild];
    if (!key || !value || unquoted(textOf(key)) !== 'application') continue;
    return value.name === 'Literal' || value.name === 'QuotedLiteral' ? unquoted(textOf(value)) : undefined;
  }
  return undefined;
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("'")) return trimmed.slice(1, -1).replaceAll("''", "'");
  if (!trimmed.startsWith('"')) return trimmed;
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed.slice(1, -1);
  }
}
