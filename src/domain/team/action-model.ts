import { actionsWith } from '../../kernel/access.ts';

/** The actions on a team. Members can always leave, whatever `removeTeamMember` requires. */
export const teamActions = actionsWith({
  addCertificate: {},
  addTeamMember: {},
  applyManifest: {},
  changeTeamMemberRole: {},
  closeTeamRegion: {},
  copyApplication: {},
  createApplication: {},
  createRegistryCredential: {},
  createServiceAccount: {},
  createWebhook: {},
  deleteTeam: {},
  importNamespace: { administratorsMay: 'import namespaces' },
  openTeamRegion: {},
  removeTeamMember: {},
  setGroupRole: {},
  setTeamQuota: { administratorsMay: 'set quotas' },
  updateTeam: {},
});
export type TeamAction = keyof typeof teamActions;
