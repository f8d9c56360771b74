/** The longest path to return to. It is in a cookie, of which browsers store 4 KiB. */
const maxLength = 400;

/** Stands for this gateway, whose host does not matter here. */
const base = 'http://gateway.invalid';

/** The page that asks whether a command line may sign in. */
export const commandLinePath = '/auth/cli';

/**
 * The path of this gateway to which a browser returns after a sign-in. Anything that could lead elsewhere is `/`: other origins,
 * addresses without a scheme, backslashes, control characters, and the encoded forms of those.
 */
export function returnPath(to: string | null): string {
  if (to === null || to.length > maxLength || !isPlainPath(to)) return '/';
  let decoded: string;
  try {
    decoded = decodeURIComponent(to);
  } catch {
    return '/';
  }
  if (!isPlainPath(decoded) || !URL.canParse(to, base)) return '/';
  const { origin, pathname, search, hash } = new URL(to, base);
  // Dot segments are resolved: `/..//host` has become `//host`.
  if (origin !== base || !isPlainPath(pathname)) return '/';
  // A sign-in that returns to a sign-in would never end.
  if (pathname.startsWith('/auth/') && pathname !== commandLinePath) return '/';
  return pathname + search + hash;
}

/** Whether a text is a path, and has nothing that makes browsers read a host in it. */
const isPlainPath = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  /^\/(?!\/)[^\\\u0000-\u001f\u007f-\u00a0\u2028\u2029]*$/.test(text);
