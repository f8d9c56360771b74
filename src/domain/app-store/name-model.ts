/** Reserves the name, with the lowest numeric suffix that makes it unique. */
export function freeName(wanted: string, taken: Set<string>, max: number): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) {
    const suffix = `-${number}`;
    name = `${wanted.slice(0, max - suffix.length).replace(/-+$/, '')}${suffix}`;
  }
  taken.add(name);
  return name;
}

/** The alias, with the port number as suffix if another port of the component has it. */
export function freePortAlias(wanted: string, number: number, taken: Set<string>): string {
  let alias = wanted;
  for (let round = 0; taken.has(alias); round++) {
    alias = `${wanted.slice(0, 50)}_${number}${round ? `_${round}` : ''}`;
  }
  taken.add(alias);
  return alias;
}
