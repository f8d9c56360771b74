import { z } from 'zod';
import {
  createApplication,
  defaultIsolation,
  describedApplication,
  isolation,
} from '../application/model.ts';
import { previewFields, previewSecrets } from '../application/preview-model.ts';
import { addCertificate } from '../certificate/model.ts';
import { createComponent } from '../component/model.ts';
import { configuration, createHttpRule, rewrites } from '../gateway-rule/http/model.ts';
import { createTcpRule } from '../gateway-rule/tcp/model.ts';
import { component, either, named } from './component-model.ts';
import { documentLimits } from './model.ts';

const { name } = createComponent.shape;
const { shape: http } = createHttpRule;

const routeTarget = {
  component: name.describe('The name of a component of the application.'),
  port: http.portNumber.describe('The number of one of its ports.'),
};

const httpRoute = z.strictObject({
  ...routeTarget,
  domain: http.domain
    .optional()
    .describe(`${http.domain.description} Defaults to the default domain of the port.`),
  path: http.path,
  certificate: addCertificate.shape.name
    .unwrap()
    .unwrap()
    .nullish()
    .describe(
      'The name of a certificate of the team that covers the domain. With one, the route serves HTTPS.',
    ),
  domainCookie: http.domainCookie,
  domainHeader: http.domainHeader,
  weight: http.weight,
  pathRewrite: http.pathRewrite,
  rewrites: rewrites
    .nullish()
    .describe('The path rewrites: a JSON array of objects with `regex`, `replacement` and `flag`.'),
  extensions: http.extensions,
  autoSsl: http.autoSsl,
  autoSslConfig: http.autoSslConfig,
  configuration: configuration
    .extend({ setHeaders: configuration.shape.setHeaders.nullish() })
    .nullish()
    .describe('The proxy settings. Those that are absent are not managed.'),
});
export type HttpRouteEntry = z.output<typeof httpRoute>;

const tcpRoute = z.strictObject({
  ...routeTarget,
  endpoint: createTcpRule.shape.endpoint,
  mappedAddress: createTcpRule.shape.mappedAddress,
  extensions: createTcpRule.shape.extensions,
});
export type TcpRouteEntry = z.output<typeof tcpRoute>;

export const isTcpRoute = (route: object): route is TcpRouteEntry => 'endpoint' in route;

/** One application of a team in a region. The source of the types, of the validation and of the JSON Schema. */
export const manifestDocument = z
  .strictObject({
    application: createApplication.shape.name.describe(
      'The name of the application, unique in the team and region.',
    ),
    ...describedApplication.shape,
    isolation: either(isolation)
      .nullish()
      .describe(
        `Whether the components have a namespace of their own in the cluster (\`OWN\`), or share that of the team in the region (\`TEAM\`). Only a new application gets it from its manifest. Defaults to \`${defaultIsolation.toUpperCase()}\`.`,
      ),
    previews: z
      .strictObject({
        ...previewFields,
        secrets: either(previewSecrets).nullish().describe(previewFields.secrets.description!),
      })
      .nullish()
      .describe(createApplication.shape.previews.description!),
    components: named(name, component, documentLimits.components).describe('The components, by name.'),
    routes: z
      .array(z.union([httpRoute, tcpRoute]))
      .max(documentLimits.routes)
      .nullish()
      .describe(
        'The gateway rules: HTTP routes by component, port, domain and path, TCP routes by endpoint.',
      ),
  })
  .describe('An application of a team in a region, as a file.');
export type ManifestDocument = z.output<typeof manifestDocument>;
