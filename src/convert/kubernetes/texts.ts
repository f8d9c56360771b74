import type { KubernetesObject } from './model.ts';

/** A text that is written in base64. Undefined if it is not. */
function decoded(text: unknown): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(String(text)), (each) => each.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The texts of a ConfigMap or a Secret by their keys. `omit` gets the keys of what is no text. */
export function textsOf(
  { kind, data = {}, stringData = {} }: KubernetesObject,
  omit: (key: string) => void,
): Record<string, string> {
  const texts = Object.entries(data).flatMap(([key, value]) => {
    const text = kind === 'Secret' ? decoded(value) : String(value);
    if (text === undefined && stringData[key] === undefined) omit(key);
    return text === undefined ? [] : [[key, text] as const];
  });
  const plain = Object.entries(stringData).map(([key, value]) => [key, String(value)] as const);
  return Object.fromEntries([...texts, ...plain]);
}
