import { useMemo } from 'react';
import { Provider } from 'urql';
import { DialogHost } from './act/dialog-host.tsx';
import { createClient, LiveContext } from './api/client.ts';
import { answerOffer, type Credential, useCredential, useOffer } from './api/session.ts';
import { Changes } from './documents/live.ts';
import { Routes } from './routes.tsx';
import { Search } from './search/search.tsx';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { TokenOffer } from './shell/token-offer.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';

export function App() {
  const credential = useCredential();
  const hasOffer = useOffer();
  // Until it is known whether there is a session, neither page is the right one.
  if (credential === undefined) return null;
  const key = credential === 'session' ? credential : credential?.token;
  return (
    <>
      {credential ? <Session key={key} credential={credential} /> : <SignIn />}
      {credential && hasOffer && <TokenOffer answer={answerOffer} />}
    </>
  );
}

/** The console for one token or session. Another one gets a client and a cache of its own. */
function Session({ credential }: { credential: Credential }) {
  const { client, live } = useMemo(() => createClient(credential, Changes), [credential]);
  return (
    <Provider value={client}>
      <LiveContext value={live}>
        <Shell search={<Search />}>
          <ErrorBoundary>
            <DialogHost>
              <Routes />
            </DialogHost>
          </ErrorBoundary>
        </Shell>
      </LiveContext>
    </Provider>
  );
}
