import { useState } from 'react';
import { Dialog } from '../act/dialog-frame.tsx';
import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';
import type { Draft } from './draft.ts';

const text = strings.manifest;

/** Ends editing, or asks first if that loses what was typed. */
export function Discard({ draft, stop }: { draft: Draft; stop: (() => void) | undefined }) {
  const [isAsking, setAsking] = useState(false);
  if (draft.text === undefined && !stop) return null;
  if (draft.text === undefined) {
    return (
      <Button look="small" onClick={stop}>
        {text.stop}
      </Button>
    );
  }
  return (
    <>
      <Button look="small" onClick={() => setAsking(true)}>
        {text.discard}
      </Button>
      {isAsking && (
        <Dialog title={text.discardTitle} close={() => setAsking(false)}>
          <p className="soft">{text.discardText}</p>
          <footer>
            <Button onClick={() => setAsking(false)}>{strings.common.cancel}</Button>
            <Button
              look="primary danger"
              onClick={() => {
                setAsking(false);
                draft.set(undefined);
                stop?.();
              }}
            >
              {text.discard}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
