import type { Actions } from '../../kernel/access.ts';

/** The actions on a team. Members can always leave, whatever `removeTeamMember` requires. */
export const teamActions = {
  addCertificate: { role: 'developer' },
  addTeamMember: { role: 'admin' },
  applyManifest: { role: 'developer' },
  changeTeamMemberRole: { role: 'admin' },
  closeTeamRegion: { role: 'admin' },
  createApplication: { role: 'developer' },
  importNamespace: { administratorsMay: 'import namespaces' },
  createRegistryCredential: { role: 'developer' },
  deleteTeam: { role: 'owner' },
  openTeamRegion: { role: 'admin' },
  removeTeamMember: { role: 'admin' },
  setGroupRole: { role: 'admin' },
  setTeamQuota: { administratorsMay: 'set quotas' },
  updateTeam: { role: 'owner' },
} as const satisfies Actions;
export type TeamAction = keyof typeof teamActions;
