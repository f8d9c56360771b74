import type { KubernetesObject } from './model.ts';

/** A text that is written in base64. Undefined if it is not. */
function decoded(text: unknown): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(String(text)), (each) => each.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** The texts of a ConfigMap or a Secret by their keys. */
export function textsOf({ kind, data = {}, stringData = {} }: KubernetesObject): Record<string, string> {
  const texts = Object.entries(data).flatMap(([key, value]) => {
    const text = kind === 'Secret' ? decoded(value) : String(value);
    return text === undefined ? [] : [[key, text] as const];
  });
  const plain = Object.entries(stringData).map(([key, value]) => [key, String(value)] as const);
  return Object.fromEntries([...texts, ...plain]);
}
