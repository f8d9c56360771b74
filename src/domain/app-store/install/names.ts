/** The name, or with the first number behind it under which it is free; it is taken from then on. */
export function freeName(wanted: string, taken: Set<string>, max: number): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) {
    const suffix = `-${number}`;
    name = `${wanted.slice(0, max - suffix.length).replace(/-+$/, '')}${suffix}`;
  }
  taken.add(name);
  return name;
}

/** The alias, or where another port of the component has it, one with the port's number behind it. */
export function freePortAlias(wanted: string, number: number, taken: Set<string>): string {
  let alias = wanted;
  for (let round = 0; taken.has(alias); round++) {
    alias = `${wanted.slice(0, 50)}_${number}${round ? `_${round}` : ''}`;
  }
  taken.add(alias);
  return alias;
}
