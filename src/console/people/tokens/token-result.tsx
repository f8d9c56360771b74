import { Example } from '../../ui/example.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { text } from '../strings.ts';

/** A new token, whose secret is shown once. */
export function TokenResult({ secret, example }: { secret: string; example: string }) {
  return (
    <>
      <ShownOnce value={secret} notice={text.tokens.created} />
      <Example title={text.tokens.example} value={example} />
    </>
  );
}
