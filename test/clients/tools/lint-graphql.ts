import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import { Linter } from 'eslint';

/** Value objects: parts of an entity, without an identity of their own. */
const valueObjects = [
  'AccessGrant',
  'AvailableUpgrade',
  'ClaimPattern',
  'CopyOmission',
  'DeployedImage',
  'DeprecatedUse',
  ...['ManifestChange', 'ManifestExport', 'ManifestFieldChange', 'ManifestObject', 'ManifestOmission'],
  ...['ManifestImage', 'ManifestPlan', 'ManifestState'],
  'GatewayRules',
  'Limit',
  'NodeChange',
  'HttpRuleConfiguration',
  'OmittedItem',
  ...['PreviewImage', 'PreviewSeed', 'PreviewSettings'],
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

/** What the recommended rules and those of Relay say of a schema. */
export function lint(schema: string) {
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
