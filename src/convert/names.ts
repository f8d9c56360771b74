/** The name, or with a number if it is taken. */
export function unused(name: string, taken: { has(name: string): boolean }): string {
  let free = name;
  for (let index = 2; taken.has(free); index++) free = `${name}-${index}`;
  return free;
}
