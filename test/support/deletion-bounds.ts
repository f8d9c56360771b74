/**
 * The mutations that delete, and what bounds for how long others wait: at most `LIMIT_CHANGE_OBJECTS` objects, which are counted before
 * the transaction; or one object, to which at most so many rows belong.
 */
export const deletions: Record<string, 'limited' | 'one' | number> = {
  closePreview: 'limited',
  deleteApplication: 'limited',
  deleteComponent: 'limited',
  uninstallComponentGroup: 'limited',
  deleteTeam: 'limited',
  deleteRegion: 'limited',
  deleteServiceAccount: 'limited',
  deleteWebhook: 'limited',
  removeTrust: 'limited',
  deleteCertificate: 'one',
  deleteDependency: 'one',
  deleteDeployHook: 'one',
  deleteGatewayRule: 'one',
  deleteInstance: 'one',
  // Its gateway rules.
  deletePort: 5_000,
  deleteRegistryCredential: 'one',
  deleteRole: 'one',
  // The runs that are kept of a component.
  deleteSchedule: 120,
  deleteTemplateVersion: 'one',
  // Its schedule of snapshots.
  deleteVolume: 1,
  deleteVolumeSnapshot: 'one',
  removeAutoscaling: 'one',
  removeGroupRole: 'one',
  removeRegionOrphans: 'one',
  removeSnapshotSchedule: 'one',
  removeTeamMember: 'one',
  // The domains of rules, of which there are none without applications.
  closeTeamRegion: 'one',
  endSession: 'one',
  revokeAccessToken: 'one',
  // A plan, which counts what it prunes.
  applyManifest: 'limited',
};
