import { strings } from '../strings.ts';
import { Button } from './controls.tsx';
import { useCopy } from './copy-button.tsx';
import { CopiedIcon, CopyIcon, NewTabIcon } from './icons.tsx';
import { isOpenable } from './is-openable.ts';

/** The path that an address without one has. */
const rootPath = /^(https?:\/\/[^/]+)\/$/;

/** A public address: a link that opens in a new tab, if a browser can open it, and a button that copies it. */
export function Address({ address }: { address: string }) {
  const { outcome, isCopied, copy } = useCopy(address);
  return (
    <span className="address">
      {isOpenable(address) ? (
        <a className="mono" href={address} target="_blank" rel="noopener noreferrer">
          {address.replace(rootPath, '$1')}
          <NewTabIcon />
          <span className="visually-hidden"> ({strings.common.newTab})</span>
        </a>
      ) : (
        <span className="mono">{address}</span>
      )}
      <Button look="quiet icon" aria-label={strings.common.copyOf(address)} title={outcome} onClick={copy}>
        {isCopied ? <CopiedIcon /> : <CopyIcon />}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome}
      </span>
    </span>
  );
}

/** Several addresses, one below the other. */
export function Addresses({ of }: { of: readonly string[] }) {
  return (
    <ul className="addresses">
      {of.map((address) => (
        <li key={address}>
          <Address address={address} />
        </li>
      ))}
    </ul>
  );
}
