// The concepts, parent before child: each adds its types, reads and changes to the one builder.
import './enterprise/graphql.ts';
import './user/graphql.ts';
import './access-token/graphql.ts';
import './team/graphql.ts';
import './event/graphql.ts';
import './certificate/graphql.ts';
import './region/graphql.ts';
import './region/resources-graphql.ts';
import './application/graphql.ts';
import './component/graphql.ts';
import './port/graphql.ts';
import './gateway-rule/graphql.ts';
import './app-store/graphql.ts';
import './app-store/template-graphql.ts';
import { builder } from './graphql/builder.ts';

/** The GraphQL schema of all concepts. */
export const schema = builder.toSchema();
