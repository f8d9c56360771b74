/** Browsers also name those that come after them here. */
const browsers = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bChrom(?:e|ium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const systems = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

const first = (names: readonly (readonly [RegExp, string])[], agent: string) =>
  names.find(([pattern]) => pattern.test(agent))?.[1];

/** A `User-Agent` as people say it: `Firefox on Linux`. */
export function browserName(agent: string): string {
  const browser = first(browsers, agent);
  const system = first(systems, agent);
  if (!browser) return agent.slice(0, 60);
  return system ? `${browser} on ${system}` : browser;
}
