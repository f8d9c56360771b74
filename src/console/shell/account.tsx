import { useEffect } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { fixed } from '../api/client.ts';
import { showRequestTimes, useRequestTimes } from '../api/request-times.ts';
import { signOut } from '../api/session.ts';
import type { ViewRequest } from '../api/view.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { claimDrafts } from '../form/draft.ts';
import { strings } from '../strings.ts';
import { UserIcon } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';
import { InterfaceLinks, RequestLink } from './interface-links.tsx';

const text = strings.header;

/** Who am I, the other interfaces, and the way out. */
export function Account({ request }: { request: ViewRequest | undefined }) {
  const showsTimes = useRequestTimes();
  const [{ data }] = useQuery({ query: ViewerQuery, context: fixed, requestPolicy: 'cache-first' });
  const viewer = data?.viewer;
  const who = viewer?.user?.id ?? viewer?.serviceAccount?.id;
  useEffect(() => {
    if (who !== undefined) claimDrafts(who);
  }, [who]);
  return (
    <Menu label={text.account} button={<UserIcon />}>
      {(close) => (
        <>
          {viewer && (
            <div className="menu-note">
              <div className="soft small">{text.signedInAs}</div>
              <strong>{viewer.user?.nickName ?? viewer.serviceAccount?.name}</strong>
              {viewer.user && <div className="small">{viewer.user.email}</div>}
              <div className="small soft">
                {viewer.enterprise.alias}
                {viewer.isAdministrator && ` · ${text.administrator}`}
                {viewer.accessToken?.isReadOnly && ` · ${text.readOnly}`}
              </div>
            </div>
          )}
          <Link href="/account" onClick={close}>
            {text.profile}
          </Link>
          <hr />
          {request && <RequestLink request={request} />}
          <InterfaceLinks />
          <button
            type="button"
            role="switch"
            className="switch"
            aria-checked={showsTimes}
            onClick={() => showRequestTimes(!showsTimes)}
          >
            {strings.request.times}
          </button>
          <hr />
          <button type="button" onClick={() => void signOut()}>
            {text.signOut}
          </button>
        </>
      )}
    </Menu>
  );
}
