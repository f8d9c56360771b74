import { Time } from './time.tsx';

/** The beginning of the digest of an image, the whole one on hover, and when the registry was asked for it. */
export function Digest({ digest, at }: { digest: string | null; at?: string | null }) {
  if (!digest) return null;
  return (
    <span className="soft small">
      <code title={digest}>{digest.replace(/^\w+:/, '').slice(0, 12)}</code>
      {at && (
        <>
          {' '}
          <Time at={at} />
        </>
      )}
    </span>
  );
}
