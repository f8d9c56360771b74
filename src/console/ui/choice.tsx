interface ChoiceProps {
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
  return (
    <select
      className="input"
      aria-label={label}
      value={value ?? first}
      onChange={({ target }) => change(target.value === first ? '' : target.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {options.map((each) => (
        <option key={each} value={each}>
          {texts[each]}
        </option>
      ))}
    </select>
  );
}
