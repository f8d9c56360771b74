import type { ViewRequest } from '../api/view.ts';
import { strings } from '../strings.ts';

/** Where GraphiQL is served, if it is. */
const graphiqlPath = document.body.dataset.graphiql;

/** The other interfaces of the product. */
export function InterfaceLinks() {
  return (
    <>
      {graphiqlPath && <a href={graphiqlPath}>{strings.header.graphiql}</a>}
      <a href="/openapi/v1/docs">{strings.header.restDocs}</a>
    </>
  );
}

/** A link that opens the request of the page in GraphiQL, if that is served. */
export function RequestLink({ request }: { request: ViewRequest }) {
  if (!graphiqlPath) return null;
  const link = new URLSearchParams({
    query: request.query,
    variables: JSON.stringify(request.variables, null, 2),
  });
  return <a href={`${graphiqlPath}?${link}`}>{strings.request.open}</a>;
}
