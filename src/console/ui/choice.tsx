import { Select } from './controls.tsx';

export interface ChoiceProps {
  label: string;
  options: readonly string[];
  texts: Readonly<Record<string, string>>;
  value: string | undefined;
  change(value: string): void;
  /** The text of no choice. Without one, the first option is what applies if nothing is chosen. */
  none?: string;
}

/** A select whose value is empty while nothing else than what applies at first is chosen. */
export function Choice({ label, options, texts, value, change, none }: ChoiceProps) {
  const first = none === undefined ? options[0]! : '';
  const empty = none === undefined ? [] : [{ value: '', text: none }];
  return (
    <Select
      aria-label={label}
      options={[...empty, ...options.map((each) => ({ value: each, text: texts[each]! }))]}
      value={value ?? first}
      change={(next) => change(next === first ? '' : next)}
    />
  );
}
