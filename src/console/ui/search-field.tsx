import { useEffect, useState } from 'react';

const typingMs = 250;

/** A field whose value is taken when nothing was typed for a moment. */
export function SearchField({
  label,
  value,
  change,
  isFocused,
}: {
  label: string;
  value: string;
  /** Whether it takes the focus when it appears. */
  isFocused?: boolean;
  change(value: string): void;
}) {
  const [typed, setTyped] = useState(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed is awaited
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => change(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: in what the user has opened
      autoFocus={isFocused}
      type="search"
      className="input"
      placeholder={label}
      aria-label={label}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
