import { useLocation } from 'wouter';
import { dialogOf } from '../../act/dialog.tsx';
import { text as texts } from './strings.ts';
import { teamFormWithOwner } from './team-form.ts';

const text = texts.team;

/** Creates a team, and shows it. */
export function CreateTeamDialog({ draft, close }: { draft: string; close(): void }) {
  const [, navigate] = useLocation();
  return dialogOf(close, {
    draft,
    label: text.create,
    title: text.create,
    intro: text.createIntro,
    mutation: 'createTeam',
    form: teamFormWithOwner,
    target: {},
    done(payload) {
      close();
      navigate(`/teams/${encodeURIComponent((payload as { team: { name: string } }).team.name)}`);
    },
  });
}
