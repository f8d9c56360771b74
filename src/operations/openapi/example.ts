import type { Json } from './schemas.ts';

/** Values that fields of these names have in examples, where their descriptions have none. */
const values: Record<string, string> = {
  accessUrls: 'http://web.shop.apps.example/',
  address: '192.0.2.10',
  alias: 'web',
  audience: 'trellis',
  branch: 'main',
  chain: '-----BEGIN CERTIFICATE-----',
  document: 'application: Online Boutique\nnote: The web shop.\n',
  domain: 'www.shop.example',
  email: 'ada@trellis.example',
  endpoint: '192.0.2.10:5432',
  endCursor: 'MQ',
  group: 'developers',
  host: 'registry.example',
  httpDomain: 'apps.example',
  id: 'QXBwbGljYXRpb246MQ',
  image: 'nginx:1.29',
  issuer: 'https://issuer.example',
  key: '-----BEGIN PRIVATE KEY-----',
  name: 'shop',
  namespace: 'shop',
  nickName: 'Ada',
  path: '/',
  password: 'a-secret',
  secret: 'trl_…',
  tcpDomain: 'tcp.example',
  text: 'Ready for requests',
  url: 'https://region.example',
  username: 'robot',
  value: 'production',
  version: '1.0.0',
  websocketUrl: 'wss://region.example',
};

const numbers: Record<string, number> = {
  number: 8080,
  port: 8080,
  portNumber: 8080,
  replicas: 2,
  cpuMillicores: 250,
  memoryMiB: 256,
  totalCount: 1,
};

const component = { componentId: '38b046086cb8361f6bb1c7d2bc5e8f4b' };

/** Objects of the demo, so that examples work there. */
const references: Record<string, Json> = {
  ApplicationRef: { appId: 1 },
  ComponentGroupRef: { groupId: 1 },
  ComponentRef: component,
  JobRef: { jobId: 1 },
  PortRef: { at: { component, number: 8080 } },
  RegionRef: { name: 'eu-central' },
  TeamRef: { name: 'retail' },
  TemplateRef: { templateId: 1 },
  UserRef: { email: 'amara.okafor@trellis.example' },
};

const asDescribed = /(?:for example|such as) `([^`]+)`/;

/** Makes examples of the schemas of a document. Those of inputs have only what is required. */
export function examplesFrom(named: Record<string, Json>) {
  function exampleOf(schema: Json, name: string, isInput: boolean): unknown {
    const { $ref, anyOf, description } = schema;
    if (typeof $ref === 'string') {
      const of = $ref.slice($ref.lastIndexOf('/') + 1);
      return references[of] ?? exampleOf(named[of]!, name, isInput);
    }
    if (Array.isArray(anyOf)) return exampleOf(anyOf[0], name, isInput);
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const [type] = [schema.type].flat();
    switch (type) {
      case 'object':
        return objectExample(schema, isInput);
      case 'array':
        return [exampleOf({ description, ...(schema.items as Json) }, name, isInput)];
      case 'integer':
      case 'number':
        return numbers[name] ?? 1;
      case 'boolean':
        return true;
      default:
        if (schema.format === 'date-time') return '2026-01-31T12:00:00.000Z';
        return values[name] ?? asDescribed.exec(String(description))?.[1] ?? 'example';
    }
  }

  function objectExample({ properties, required, minProperties }: Json, isInput: boolean): Json {
    const all = Object.entries(properties as Record<string, Json>);
    const names = required as string[] | undefined;
    const shown = isInput ? all.filter(([name]) => names?.includes(name)) : all;
    // Of a reference, the id.
    if (shown.length === 0 && minProperties === 1) shown.push(all.find(([name]) => name === 'id') ?? all[0]!);
    return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, name, isInput)]));
  }

  return {
    input: (schema: Json, name = '') => exampleOf(schema, name, true),
    output: (schema: Json) => exampleOf(schema, '', false),
  };
}
