/** The changes that the changelog does not name by their path under "Unreleased", "Breaking". */
export function unnamedChanges<Change extends { path: string }>(
  changelog: string,
  changes: Change[],
): Change[] {
  const [, unreleased] = /^## \[Unreleased\]\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? [];
  if (unreleased === undefined) throw new Error('docs/CHANGELOG.md has no section "Unreleased"');
  const [, breaking = ''] = /^### Breaking\n([\s\S]*?)(?=^### |(?![\s\S]))/m.exec(unreleased) ?? [];
  return changes.filter(({ path }) => !breaking.includes(`\`${path}\``));
}

/** The coordinates that no section "Deprecated" of the changelog names. */
export function unnamedDeprecations(changelog: string, coordinates: readonly string[]): string[] {
  const sections = [...changelog.matchAll(/^### Deprecated\n([\s\S]*?)(?=^##|(?![\s\S]))/gm)];
  const text = sections.map(([, section]) => section).join('\n');
  return coordinates.filter((coordinate) => !text.includes(`\`${coordinate}\``));
}
