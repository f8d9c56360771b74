import { ApolloClient, ApolloLink, gql, InMemoryCache } from '@apollo/client';
import { print } from 'graphql';
import { createClient, type Sink } from 'graphql-sse';
import { Observable } from 'rxjs';

interface Subscription {
  url: string;
  headers: () => Record<string, string>;
  query: string;
  variables: object;
}

/** Subscribes with Apollo Client to events, and calls back with each action or with the message of an error. */
export function subscribeWithApollo(
  { url, headers, query, variables }: Subscription,
  onAction: (action: string) => void,
): () => void {
  const events = createClient({ url, headers, retryAttempts: 0 });
  const link = new ApolloLink(
    ({ query, variables, operationName }) =>
      new Observable((observer) =>
        events.subscribe({ query: print(query), variables, operationName: operationName! }, observer as Sink),
      ),
  );
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const subscription = client
    .subscribe<{ events: { action: string } }>({ query: gql(query), variables })
    .subscribe(({ data, error }) => onAction(error ? error.message : data!.events.action));
  return () => {
    subscription.unsubscribe();
    client.stop();
  };
}
