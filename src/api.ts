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
import { appStoreRoutes } from './app-store/rest.ts';
import { applicationRoutes } from './application/rest.ts';
import { componentRoutes } from './component/rest.ts';
import { gatewayRuleRoutes } from './gateway-rule/rest.ts';
import { builder } from './graphql/builder.ts';
import { portRoutes } from './port/rest.ts';
import { resourceRoutes } from './region/resources-rest.ts';
import { regionRoutes } from './region/rest.ts';
import type { Route } from './rest/route.ts';
import { teamRoutes } from './team/rest.ts';
import { userRoutes } from './user/rest.ts';

/** The GraphQL schema of all concepts. */
export const schema = builder.toSchema();

/** The routes of all concepts, below `/openapi/v1`. */
export const routes: readonly Route[] = [
  ...teamRoutes,
  ...resourceRoutes,
  ...userRoutes,
  ...regionRoutes,
  ...applicationRoutes,
  ...componentRoutes,
  ...portRoutes,
  ...gatewayRuleRoutes,
  ...appStoreRoutes,
];
