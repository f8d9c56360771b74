import { z } from 'zod';
import { boundedString, prose } from '../../kernel/validate.ts';
import { registryOf } from '../registry/image.ts';

/** The username and password for the registry of components of a template. */
export interface TemplateCredential {
  host: string;
  username: string;
  password: string;
  /** The indexes of these components in the template. */
  places: number[];
}

const withCredential = z.object({
  share_image: z.string().max(1024).nullish(),
  image: z.string().max(1024).nullish(),
  service_image: z.object({
    hub_user: boundedString(255)
      .min(1)
      .regex(/^[^:\p{Cc}]+$/u),
    hub_password: prose(16_384).min(1),
  }),
});

/** The credentials in a sound template, one for each host. Those that cannot be used are left out. */
export function* credentialsIn(value: unknown): Generator<void, TemplateCredential[]> {
  const byHost = new Map<string, TemplateCredential>();
  const { apps } = value as { apps: unknown[] };
  for (const [place, app] of apps.entries()) {
    yield;
    const { data } = withCredential.safeParse(app);
    const image = data?.share_image || data?.image;
    if (!data || !image) continue;
    const host = registryOf(image);
    const { hub_user: username, hub_password: password } = data.service_image;
    const credential = byHost.get(host);
    if (!credential) byHost.set(host, { host, username, password, places: [place] });
    // A second account at one host has no use, because a team has one credential for it.
    else if (credential.username === username && credential.password === password)
      credential.places.push(place);
  }
  return [...byHost.values()];
}
