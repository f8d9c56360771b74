import '../styles/people.css';
import { Example } from '../ui/example.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { text } from './strings.ts';

/** The URL, which is shown once, and how a pipeline uses it. */
export const urlOf = (payload: unknown) => {
  const { url } = payload as { url: string };
  // A gateway that does not know its address gives the path alone.
  const address = new URL(url, location.origin).href;
  return (
    <>
      <ShownOnce value={address} notice={text.urlOnce} />
      <Example
        title={text.example}
        value={`curl --fail-with-body -X POST '${address}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"tag":"1.2.3"}'`}
      />
    </>
  );
};
