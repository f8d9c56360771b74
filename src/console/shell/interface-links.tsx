import { strings } from '../strings.ts';

/** Where GraphiQL is served, if it is. */
export const graphiqlPath = document.body.dataset.graphiql;

/** The other interfaces of the product. */
export function InterfaceLinks() {
  return (
    <>
      {graphiqlPath && <a href={graphiqlPath}>{strings.header.graphiql}</a>}
      <a href="/openapi/v1/docs">{strings.header.restDocs}</a>
    </>
  );
}
