import type { Context } from '../../context.ts';
import type { FoundImage } from '../../drivers/registry/driver.ts';
import { type ImageReference, imageName, parseImage } from '../../drivers/registry/image.ts';
import { callerId } from '../../kernel/access.ts';
import type { TeamRef } from '../team/model.ts';
import { requireTeam } from '../team/reads.ts';
import { pullCredentialOf } from './reads.ts';

export interface ImageCheck {
  image: string;
  usesCredential: boolean;
  /** Null if the registry does not have the image. */
  found: FoundImage | null;
}

/** Asks the registry of an image about it, with the credential that a component of the team would use. */
export async function checkImage(context: Context, ref: TeamRef, image: string): Promise<ImageCheck> {
  const team = await requireTeam(context, ref, 'checkImage');
  // `imageReference` has checked it.
  const parsed = parseImage(image) as ImageReference;
  const credential = await pullCredentialOf(context, team.id, image);
  const caller = { teamId: team.id, callerId: String(callerId(context.actor)), signal: context.signal };
  const found = await context.drivers.registry.find(caller, parsed, credential);
  return { image: imageName(parsed), usesCredential: credential !== null, found };
}
