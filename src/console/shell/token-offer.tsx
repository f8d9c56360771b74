import { Dialog } from '../act/dialog-frame.tsx';
import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';

const text = strings.tokenOffer;

/** Asks whether the token of a link replaces the one in use. */
export function TokenOffer({ answer }: { answer(isAccepted: boolean): void }) {
  return (
    <Dialog title={text.title} close={() => answer(false)}>
      <p>{text.text}</p>
      <footer>
        {/* The first, which has the focus. */}
        <Button onClick={() => answer(false)}>{text.decline}</Button>
        <Button look="primary" onClick={() => answer(true)}>
          {text.accept}
        </Button>
      </footer>
    </Dialog>
  );
}
