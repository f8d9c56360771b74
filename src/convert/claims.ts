import { isMapping, isSet, type Value } from './yaml.ts';

/**
 * What becomes of a part that cannot be taken over as it is: data or traffic would be lost, what runs is not the same, or it is only
 * good to know.
 */
export type Grade = 'LOST' | 'CHANGED' | 'INFO';

export interface Note {
  grade: Grade;
  /** The service or object that it is about. Null if it is about all of the input. */
  subject: string | null;
  /** The path below the subject, such as `healthcheck.test`. */
  key: string;
  reason: string;
  /** The name that it is about, such as that of a volume. Notes with the same reason list theirs together. */
  detail?: string;
}

/** A note on a path of the input. */
interface PathNote {
  grade: Grade;
  reason: string;
  /** Whether it is so for a value. Without it, for each that is set. */
  when?: (value: Value) => boolean;
}

/**
 * What becomes of a path of the input: it is converted to something, it gets the first note that applies, or it has no meaning
 * here, for a reason.
 */
export type Rule = { to: string } | { notes: readonly PathNote[]; reason?: string } | { reason: string };
export type Rules = Readonly<Record<string, Rule>>;

export const to = (what: string): Rule => ({ to: what });
export const lost = (reason: string): Rule => ({ notes: [{ grade: 'LOST', reason }] });
export const changed = (reason: string): Rule => ({ notes: [{ grade: 'CHANGED', reason }] });
export const info = (reason: string): Rule => ({ notes: [{ grade: 'INFO', reason }] });
/** Without meaning here. */
export const none = (reason: string): Rule => ({ reason });
/** With notes on some values. Others have no meaning here, for the reason. */
export const some = (notes: readonly PathNote[], reason: string): Rule => ({ notes, reason });
/** One rule for several keys below a path. */
export const each = (path: string, keys: string, rule: Rule): Rules =>
  Object.fromEntries(keys.split(' ').map((key) => [`${path}.${key}`, rule]));

interface PathNode {
  rule?: Rule;
  below: Map<string, PathNode>;
}

/** A part of an input: the keys that lead to it, and the same as the rules have them. */
interface At {
  keys: readonly string[];
  steps: readonly string[];
}
type TellPath = (at: At, grade: Grade, reason: string) => void;

const unknown = 'Is not known, and was left out.';

/**
 * The claims on an input: each path that it can have, with its rule. In a path, `*` is any key and `[]` an item of a list. A rule
 * holds for all that is below its path. If there are rules below it, it holds for the short form, a text.
 */
export class Claims {
  readonly #root: PathNode = { below: new Map() };

  constructor(rules: Rules) {
    for (const [path, rule] of Object.entries(rules)) {
      let node = this.#root;
      for (const step of stepsOf(path)) {
        const next = node.below.get(step) ?? { below: new Map() };
        node.below.set(step, next);
        node = next;
      }
      node.rule = rule;
    }
  }

  /** Whether a path of the format, such as `services.*.ports[].target`, has a rule. */
  has(path: string): boolean {
    let node = this.#root;
    for (const step of stepsOf(path)) {
      const next = node.below.get(step) ?? node.below.get('*');
      if (!next) return node.rule !== undefined && node.below.size === 0;
      node = next;
    }
    return node.rule !== undefined || node.below.size > 0;
  }

  /** Calls `tell` for all of an input that has a note, or that no rule claims. */
  walk(value: Value, tell: TellPath): void {
    this.#walk(this.#root, value, { keys: [], steps: [] }, tell);
  }

  #walk(node: PathNode, value: Value, at: At, tell: TellPath): void {
    const { rule, below } = node;
    const isLeaf = below.size === 0 || !(Array.isArray(value) || isMapping(value));
    if (rule && isLeaf) {
      const notes = 'notes' in rule && isSet(value) ? rule.notes : [];
      const note = notes.find(({ when }) => when?.(value) ?? true);
      if (note) tell(at, note.grade, note.reason);
    } else if (isLeaf) {
      if (isSet(value)) tell(at, 'CHANGED', 'Is not in the form that it should have, and was left out.');
    } else {
      const entries = Array.isArray(value)
        ? value.map((item) => ['[]', item] as const)
        : Object.entries(value as object);
      for (const [key, inner] of entries) {
        const step = below.has(key) || !below.has('*') ? key : '*';
        const inside: At = { keys: [...at.keys, key], steps: [...at.steps, step] };
        const next = below.get(step);
        if (next) this.#walk(next, inner, inside, tell);
        else if (!key.startsWith('x-') && isSet(inner)) tell(inside, 'CHANGED', unknown);
      }
    }
  }
}

const stepsOf = (path: string) => path.replaceAll('[]', '.[]').split('.');

/** Steps as a path again. */
export const pathOf = (steps: readonly string[]) => steps.join('.').replaceAll('.[]', '[]');
