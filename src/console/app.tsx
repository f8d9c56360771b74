import { useMemo } from 'react';
import { Provider } from 'urql';
import { createClient, LiveContext } from './api/client.ts';
import { answerOffer, useOffer, useToken } from './api/session.ts';
import { Routes } from './routes.tsx';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { TokenOffer } from './shell/token-offer.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';

export function App() {
  const token = useToken();
  const hasOffer = useOffer();
  return (
    <>
      {token ? <Session key={token} token={token} /> : <SignIn />}
      {token && hasOffer && <TokenOffer answer={answerOffer} />}
    </>
  );
}

/** The console for one token. Another token gets a client and a cache of its own. */
function Session({ token }: { token: string }) {
  const { client, live } = useMemo(() => createClient(token), [token]);
  return (
    <Provider value={client}>
      <LiveContext value={live}>
        <Shell>
          <ErrorBoundary>
            <Routes />
          </ErrorBoundary>
        </Shell>
      </LiveContext>
    </Provider>
  );
}
