import { useState } from 'react';
import { Dialog } from '../act/dialog-frame.tsx';
import { strings } from '../strings.ts';
import type { Draft } from './draft.ts';

const text = strings.manifest;

/** Ends editing, or asks first if that loses what was typed. */
export function Discard({ draft, stop }: { draft: Draft; stop: (() => void) | undefined }) {
  const [isAsking, setAsking] = useState(false);
  if (draft.text === undefined && !stop) return null;
  if (draft.text === undefined) {
    return (
      <button type="button" className="button small" onClick={stop}>
        {text.stop}
      </button>
    );
  }
  return (
    <>
      <button type="button" className="button small" onClick={() => setAsking(true)}>
        {text.discard}
      </button>
      {isAsking && (
        <Dialog title={text.discardTitle} close={() => setAsking(false)}>
          <p className="soft">{text.discardText}</p>
          <footer>
            <button type="button" className="button" onClick={() => setAsking(false)}>
              {strings.common.cancel}
            </button>
            <button
              type="button"
              className="button primary danger"
              onClick={() => {
                setAsking(false);
                draft.set(undefined);
                stop?.();
              }}
            >
              {text.discard}
            </button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
