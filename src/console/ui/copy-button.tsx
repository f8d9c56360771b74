import { useEffect, useState } from 'react';
import { strings } from '../strings.ts';
import { Button } from './controls.tsx';

const text = strings.common;
const shownMs = 3_000;

/** Copies a text to the clipboard, and says for a moment whether it did. */
export function useCopy(value: string) {
  const [outcome, setOutcome] = useState<string>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  // Browsers have no clipboard for pages without TLS on another host.
  const write = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setOutcome(text.copied);
    } catch {
      setOutcome(text.copyFailed);
    }
  };
  return { outcome, isCopied: outcome === text.copied, copy: () => void write() };
}

/** Copies a text to the clipboard. */
export function CopyButton({ value }: { value: string }) {
  const { outcome, copy } = useCopy(value);
  return (
    <>
      <Button look="small" onClick={copy}>
        {outcome ?? text.copy}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome}
      </span>
    </>
  );
}
