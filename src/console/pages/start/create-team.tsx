import { dialogOf } from '../../act/dialog.tsx';
import type { DialogProps } from '../../act/dialog-frame.tsx';
import { text as texts } from './strings.ts';
import { teamFormWithOwner } from './team-form.ts';

const text = texts.team;

/** Creates a team, and shows it. */
export const CreateTeamDialog = ({ draft, close }: DialogProps) =>
  dialogOf(close, {
    draft,
    label: text.create,
    title: text.create,
    intro: text.createIntro,
    mutation: 'createTeam',
    form: teamFormWithOwner,
    target: {},
    leadsTo: (payload) => `/teams/${encodeURIComponent((payload as { team: { name: string } }).team.name)}`,
  });
