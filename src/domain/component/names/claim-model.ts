import { claimNameOf, numberedClaim } from '../../../drivers/region/object-names.ts';
import { getOrCompute } from '../../../kernel/memo.ts';

type Component = { id: string } & Parameters<typeof claimNameOf>[0];
type Volume = Parameters<typeof claimNameOf>[1];

/** An index of the claims of volumes by name. A change can look up thousands of names. */
export class NamedClaims {
  readonly #owners = new Map<string, string[]>();
  /** Claims of one name with a number at its end, by the names of the claims of instances that could have it. */
  readonly #numbered = new Map<string, string[]>();

  add(component: Component, volume: Volume): void {
    const name = claimNameOf(component, volume);
    getOrCompute(this.#owners, name, () => []).push(component.id);
    const numbered = numberedClaim(name);
    if (numbered !== name) getOrCompute(this.#numbered, numbered, () => []).push(component.id);
  }

  /** The ids of the components with a claim that can have the name of that of a volume. */
  meeting(component: Component, volume: Volume): string[] {
    const name = claimNameOf(component, volume);
    const numbered = numberedClaim(name);
    return [
      ...(this.#owners.get(name) ?? []),
      ...(this.#numbered.get(name) ?? []),
      ...(numbered === name ? [] : (this.#owners.get(numbered) ?? [])),
    ];
  }
}
