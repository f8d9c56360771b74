import { useState } from 'react';
import { ActionDialog } from '../act/dialog.tsx';
import { CloseTeamRegion } from '../documents/use.ts';
import { strings } from '../strings.ts';

const text = strings.use;

interface Props {
  team: { uid: string; alias: string };
  region: { uid: string; alias: string };
  /** That of the quota. */
  revision: number;
}

/** Closes a region for a team. */
export function CloseAction({ team, region, revision }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button small danger" onClick={() => setOpen(true)}>
        {text.close}
      </button>
      {isOpen && (
        <ActionDialog
          close={() => setOpen(false)}
          action={{
            label: text.close,
            title: text.closeTitle(region.alias, team.alias),
            intro: text.closeIntro,
            isDestructive: true,
            document: CloseTeamRegion,
            plan: 'step',
            input: () => ({
              team: { teamId: team.uid },
              region: { regionId: region.uid },
              expectedRevision: revision,
            }),
          }}
        />
      )}
    </>
  );
}
