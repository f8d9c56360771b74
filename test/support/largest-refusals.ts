import type { Refusals } from './largest-answers.ts';

const because = (reason: string, refused: readonly string[]): Refusals =>
  Object.fromEntries(refused.map((each) => [each, reason]));

/** What of components with more files than a gateway has memory is refused. */
export const ofLargeFiles: Refusals = {
  ...because('It needs the files of all components at once, which are larger than the memory.', [
    'a plan that writes a file in each component: LIMIT_EXCEEDED',
    'the dry run of applyManifest: LIMIT_EXCEEDED',
    'applyManifest: LIMIT_EXCEEDED',
    'the dry run of rollbackApplication: LIMIT_EXCEEDED',
    'rollbackApplication: LIMIT_EXCEEDED',
  ]),
  ...because('No change writes as many bytes.', [
    'the dry run of copyApplication: LIMIT_EXCEEDED',
    'copyApplication: LIMIT_EXCEEDED',
    'openPreview: LIMIT_EXCEEDED',
  ]),
  ...because('There is no preview.', ['closePreview: NOT_FOUND']),
  ...because('A response has at most 16 MiB of text.', [
    'manifests: LIMIT_EXCEEDED',
    'files: LIMIT_EXCEEDED',
    'releases: LIMIT_EXCEEDED',
  ]),
  ...because('A component is deployed with at most 1 MiB, and gets no more while it has more.', [
    'the dry run of deployApplication: CONFLICT',
    'deployApplication: CONFLICT',
    'the dry run of deployComponent: CONFLICT',
    'the dry run of rollbackComponent: CONFLICT',
    'the dry run of setVariables: CONFLICT',
    'setVariables: CONFLICT',
    'addVolume: CONFLICT',
  ]),
  ...because('A template has at most 8 MiB.', ['publishApplication: INVALID_INPUT']),
};

/** What a viewer is refused of every field of every type. */
export const ofFields: Refusals = {
  ...because('Only administrators of the enterprise read it.', [
    'Query administrators_0: FORBIDDEN',
    'Query checkRegion_0: FORBIDDEN',
    'Query events_0: FORBIDDEN',
    'Query users_0: FORBIDDEN',
    'UserConnection users: FORBIDDEN',
    'UserEdge users: FORBIDDEN',
    'RegionCheck checkRegion: FORBIDDEN',
    'RegionRight checkRegion: FORBIDDEN',
    'Region region.orphans_0: FORBIDDEN',
    'RegionOrphan region.orphans: FORBIDDEN',
    'Enterprise region.enterprise.registryCredentials_0: FORBIDDEN',
    'Enterprise region.enterprise.users_0: FORBIDDEN',
  ]),
  ...because('Only the user and administrators of the enterprise read the address.', [
    'Component component.creator_0.clientIp: FORBIDDEN',
    'Job job.user_0.clientIp: FORBIDDEN',
    'Team team.creator_0.clientIp: FORBIDDEN',
    'TeamMember team.members.nodes.user_0.clientIp: FORBIDDEN',
    'ManifestState application.manifestState.appliedBy_0.clientIp: FORBIDDEN',
    'Event application.events.nodes.user_0.clientIp: FORBIDDEN',
    'UpgradeRecord application.upgradeRecords.nodes.user_0.clientIp: FORBIDDEN',
  ]),
  ...because('It requires the developer role.', [
    'Query checkImage_0: FORBIDDEN',
    'ImageCheck checkImage: FORBIDDEN',
    'ImagePort checkImage: FORBIDDEN',
    'ImagePlatform checkImage: FORBIDDEN',
    'Component component.clusterEvents_0: FORBIDDEN',
    'ClusterEvent component.clusterEvents: FORBIDDEN',
    'Component component.instances_0: FORBIDDEN',
    'ComponentInstance component.instances: FORBIDDEN',
    'Component component.logs_0: FORBIDDEN',
    'ComponentLogs component.logs: FORBIDDEN',
    'ComponentLogLine component.logs: FORBIDDEN',
    'ComponentRun run.logs_0: FORBIDDEN',
  ]),
  ...because(
    'A response has at most 16 MiB of text, and the manifest of 500 components with long commands has more.',
    [
      'Application: LIMIT_EXCEEDED',
      'Component: LIMIT_EXCEEDED',
      'ManifestExport: LIMIT_EXCEEDED',
      'ManifestOmission: LIMIT_EXCEEDED',
    ],
  ),
  ...because('It requires the admin role.', [
    'ServiceAccount webhook.serviceAccount.accessTokens_0: FORBIDDEN',
  ]),
};

/** What of every mutation and dry run is refused where one of each kind of object is at its bounds. */
export const ofMutations: Refusals = {
  ...because('The port has rules that users made, which would not fit.', [
    'the dry run of changePortProtocol: CONFLICT',
    'changePortProtocol: CONFLICT',
  ]),
  ...because('The process of the test has the simulated cluster with the snapshot.', [
    'the dry run of deleteVolumeSnapshot: NOT_FOUND',
    'deleteVolumeSnapshot: NOT_FOUND',
    'the dry run of restoreVolumeSnapshot: NOT_FOUND',
    'restoreVolumeSnapshot: NOT_FOUND',
  ]),
  ...because('A template has at most 500 components.', ['publishApplication: INVALID_INPUT']),
  ...because('It needs what all components have and had, which is larger than the memory.', [
    'rollbackApplication: LIMIT_EXCEEDED',
  ]),
};

/** What reads or changes all components of an application is refused. */
export const ofManyComponents: Refusals = {
  ...because('A response has at most 16 MiB of text.', [
    'manifests: LIMIT_EXCEEDED',
    'variables: LIMIT_EXCEEDED',
  ]),
  ...because('It needs what all components have and had, which is larger than the memory.', [
    'the dry run of rollbackApplication: LIMIT_EXCEEDED',
    'rollbackApplication: LIMIT_EXCEEDED',
    'applyManifest: LIMIT_EXCEEDED',
    'the dry run of copyApplication: LIMIT_EXCEEDED',
    'copyApplication: LIMIT_EXCEEDED',
    'openPreview: LIMIT_EXCEEDED',
  ]),
  ...because('There is no preview.', ['closePreview: NOT_FOUND']),
  ...because('A template has at most 500 components.', ['publishApplication: INVALID_INPUT']),
};
