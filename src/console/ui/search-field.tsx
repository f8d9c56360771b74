import { useEffect, useState } from 'react';

const typingMs = 250;

/** A field whose value is taken when nothing was typed for a moment. */
export function SearchField({
  label,
  value,
  change,
}: {
  label: string;
  value: string;
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
      type="search"
      className="input"
      placeholder={label}
      aria-label={label}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
