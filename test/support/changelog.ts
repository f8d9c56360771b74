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
