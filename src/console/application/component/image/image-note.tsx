import { Link } from 'wouter';
import { Notice } from '../../../ui/blocks.tsx';
import { text } from '../../strings.ts';
import type { ImageCheck } from './use-image-check.ts';

const texts = text.image;

/** The answer of the registry about an image. */
export function ImageNote({ team, image, check }: ImageNoteProps) {
  if (image.trim() === '') return null;
  if (!check) {
    return (
      <p role="status" className="small soft">
        {texts.checking}
      </p>
    );
  }
  const { found, failure } = check;
  // Who may not ask the registry can still make the component.
  if (failure?.code === 'FORBIDDEN') return null;
  if (failure || !found) {
    return (
      <Notice tone="warn">
        {failure?.issues[0]?.message ?? `${failure?.message} ${texts.notChecked}`}{' '}
        {failure?.code === 'REGISTRY_REFUSED' && (
          <Link href={`/teams/${encodeURIComponent(team.name)}/registries`}>{texts.addCredential}</Link>
        )}
      </Notice>
    );
  }
  if (!found.exists) return <Notice tone="bad">{texts.missing}</Notice>;
  const platforms = found.platforms.map(({ os, architecture, variant }) =>
    [os, architecture, variant].filter(Boolean).join('/'),
  );
  return (
    <Notice tone="good">
      {texts.exists} {platforms.length > 0 && texts.platforms(platforms)}{' '}
      {found.usesCredential && texts.usesCredential}
    </Notice>
  );
}
interface ImageNoteProps {
  team: { name: string };
  image: string;
  check: ImageCheck | undefined;
}
