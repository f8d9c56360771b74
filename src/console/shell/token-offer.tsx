import { Dialog } from '../act/dialog-frame.tsx';
import { strings } from '../strings.ts';

const text = strings.tokenOffer;

/** Asks whether the token of a link replaces the one in use. */
export function TokenOffer({ answer }: { answer(isAccepted: boolean): void }) {
  return (
    <Dialog title={text.title} close={() => answer(false)}>
      <p>{text.text}</p>
      <footer>
        {/* The first, which has the focus. */}
        <button type="button" className="button" onClick={() => answer(false)}>
          {text.decline}
        </button>
        <button type="button" className="button primary" onClick={() => answer(true)}>
          {text.accept}
        </button>
      </footer>
    </Dialog>
  );
}
