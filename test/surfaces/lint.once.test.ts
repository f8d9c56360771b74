import { readFileSync } from 'node:fs';
import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import { Linter } from 'eslint';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';

const file = new URL('../../schema.graphql', import.meta.url);
const text = readFileSync(file, 'utf8');

/** Value objects: parts of an entity, without an identity of their own. */
const valueObjects = [
  'AccessGrant',
  'AvailableUpgrade',
  'ClaimPattern',
  'DeprecatedUse',
  ...['ManifestChange', 'ManifestExport', 'ManifestFieldChange', 'ManifestObject', 'ManifestOmission'],
  ...['ManifestPlan', 'ManifestState'],
  'GatewayRules',
  'Limit',
  'NodeChange',
  'HttpRuleConfiguration',
  'OmittedItem',
  'OmittedPart',
  'OmittedTemplateKey',
  'RuleLimitations',
  'RewriteRule',
  'SetHeader',
  'TcpRuleExtension',
  'UpgradeChange',
  'UpgradeOutcome',
  'ClusterEvent',
  'ComponentInstance',
  'IssuedCertificate',
  'VolumeSnapshot',
  'SnapshotSchedule',
  'ComponentInstanceUsage',
  'ComponentLogLine',
  'ComponentLogs',
  'ComponentSource',
  'ComponentTrafficHistory',
  'ComponentUsage',
  'ComponentUsageHistory',
  'EventChange',
  'InputIssue',
  'ObjectChange',
  'Autoscaling',
  'ComponentProbes',
  'NodeLabel',
  'Placement',
  'Toleration',
  'ComponentProblem',
  'GrpcProbe',
  'HttpProbe',
  'PageInfo',
  'ImageCheck',
  'ImagePlatform',
  'ImagePort',
  'Probe',
  'ProbeHeader',
  'TcpProbe',
  'RegionCheck',
  'RegionCluster',
  'RegionGatewayQueries',
  'RegionCredentials',
  'RegionOrphan',
  'RegionRight',
  'RegionUsage',
  'RequiredVariable',
  'RoleInfo',
  'TeamResources',
  'UsagePoint',
  'Viewer',
];

function lint(schema: string) {
  const linter = new Linter({ configType: 'flat' });
  const { rules: recommended } = graphqlPlugin.configs['flat/schema-recommended'];
  const { rules: relay } = graphqlPlugin.configs['flat/schema-relay'];
  return linter.verify(
    schema,
    [
      {
        files: ['**/*.graphql'],
        languageOptions: { parser: graphqlPlugin.parser, parserOptions: { graphQLConfig: { schema } } },
        plugins: { '@graphql-eslint': graphqlPlugin as never },
        rules: {
          ...recommended,
          ...relay,
          '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],
          '@graphql-eslint/strict-id-in-types': [
            'error',
            {
              acceptedIdNames: ['id'],
              acceptedIdTypes: ['ID'],
              exceptions: { suffixes: ['Connection', 'Edge', 'Payload', 'Error'], types: valueObjects },
            },
          ],
        } as never,
      },
    ],
    'schema.graphql',
  );
}

describe('schema.graphql', () => {
  it('passes the recommended and Relay rules', () => {
    expect(lint(text).map(({ ruleId, message, line }) => `${line} ${ruleId} ${message}`)).toEqual([]);
  });

  it('would fail the rules with a worse schema', () => {
    const worse = text.replace(
      'type PageInfo {',
      'type page_info2 {\n  page_info2Name: String\n}\n\ntype PageInfo {',
    );
    expect(lint(worse).length).toBeGreaterThan(0);
  });

  it('describes every type, field, argument and enum value', () => {
    const missing: string[] = [];
    for (const type of Object.values(buildSchema(text).getTypeMap())) {
      if (type.name.startsWith('__') || !type.astNode) continue;
      if (!type.description) missing.push(type.name);
      if ('getFields' in type) {
        for (const field of Object.values(type.getFields())) {
          if (!field.description) missing.push(`${type.name}.${field.name}`);
          if ('args' in field) {
            for (const arg of field.args) {
              if (!arg.description) missing.push(`${type.name}.${field.name}(${arg.name})`);
            }
          }
        }
      }
      if ('getValues' in type) {
        for (const value of type.getValues())
          if (!value.description) missing.push(`${type.name}.${value.name}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
