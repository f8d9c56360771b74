import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import type { Limits } from '../../kernel/limits.ts';
import { exceeded } from './limits.ts';

/** The most pairs of fields with the same name in the response, for each field that an operation may have. */
const pairsOfField = 10;

/**
 * Throws LIMIT_EXCEEDED if too many fields of a document have the same name in the response. Validation compares all pairs of
 * them, in fragments as well. Call it before validation.
 */
export function requireFewSameNames({ definitions }: DocumentNode, limits: Pick<Limits, 'fields' | 'depth'>) {
  const most = pairsOfField * limits.fields;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  let pairs = 0;
  const count = (more: number) => {
    pairs += more;
    if (pairs > most) throw exceeded(`${most} pairs of fields with the same name`, 'LIMIT_FIELDS');
  };
  /** Counts what is compared in these selections, which are merged. */
  const countIn = (sets: readonly SelectionSetNode[], depth: number): void => {
    // A fragment that contains itself, which validation refuses, or what an operation may not have.
    if (depth > limits.depth) return;
    const byName = new Map<string, { fields: number; sets: SelectionSetNode[] }>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        count(1);
        if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
        else if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const name = selection.name.value;
          const fragment = fragments.get(name);
          if (!fragment || spread.has(name)) continue;
          count(spread.size);
          spread.add(name);
          collect(fragment.selectionSet);
        } else {
          const name = (selection.alias ?? selection.name).value;
          const same = byName.get(name) ?? { fields: 0, sets: [] };
          byName.set(name, same);
          count(same.fields++);
          if (selection.selectionSet) same.sets.push(selection.selectionSet);
        }
      }
    };
    for (const set of sets) collect(set);
    for (const same of byName.values()) if (same.sets.length > 0) countIn(same.sets, depth + 1);
  };
  for (const definition of definitions) {
    if ('selectionSet' in definition) countIn([definition.selectionSet], 0);
  }
}
