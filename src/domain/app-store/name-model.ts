/** The alias, with the port number as suffix if another port of the component has it. */
export function freePortAlias(wanted: string, number: number, taken: Set<string>): string {
  let alias = wanted;
  for (let round = 0; taken.has(alias); round++) {
    alias = `${wanted.slice(0, 50)}_${number}${round ? `_${round}` : ''}`;
  }
  taken.add(alias);
  return alias;
}
